// Which web pages may call the local API and get tokens of the local issuer.

/** Pages of this machine, whatever port serves them. */
const ofThisMachine = ['http', 'https'].flatMap((scheme) =>
  ['localhost', '127.0.0.1', '[::1]'].flatMap((host) => [`${scheme}://${host}`, `${scheme}://${host}:*`]),
)
const thisMachine = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** Further origins: CORS_ORIGINS, separated by commas. Throws one line that names a wrong one. */
export function furtherOrigins({ CORS_ORIGINS = '' }: NodeJS.ProcessEnv = process.env): string[] {
  const origins = CORS_ORIGINS.split(',')
    .map((one) => one.trim())
    .filter(Boolean)
  const wrong = origins.find((one) => !URL.canParse(one) || new URL(one).origin !== one)
  if (wrong)
    throw new Error(`CORS_ORIGINS: ${wrong} is no origin: use scheme, host and port, as in https://app.example.org.`)
  return origins
}

/** Whether pages of an origin may use the local service. */
export const isAllowed = (origin: string, further = furtherOrigins()): boolean =>
  thisMachine.test(origin) || further.includes(origin)

/**
 * The allowed origins as serverless-offline takes them: a list that it searches for the origin of a page. A list can hold no pattern
 * for all ports, so this one answers itself.
 */
export class LocalOrigins extends Array<string> {
  static override get [Symbol.species]() {
    return Array
  }
  override includes(origin: string): boolean {
    return isAllowed(origin)
  }
}
export const localOrigins = (): LocalOrigins =>
  LocalOrigins.from([...ofThisMachine, ...furtherOrigins()]) as LocalOrigins
