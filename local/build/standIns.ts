// What stands in a bundle for parts of its packages that Lambda never runs: each export has the name of what it replaces.
// leaveOut.ts puts them there; test/aws/standIns.test.ts holds them against the originals.
import { fromEnv } from '@aws-sdk/credential-provider-env'

/** Lambda hands its credentials over in the environment: no profiles, single sign-on, login or metadata service. */
export const defaultProvider = fromEnv

/** There is no home directory with configuration in it; looking for one costs the first request time. */
export const fromSharedConfigFiles = () => async () => {
  throw Object.assign(new Error('No configuration files are read'), { tryNextLink: true })
}

/** Nor does a function ask a virtual machine's metadata service which region it is in. */
export const getInstanceMetadataRegion = async (): Promise<undefined> => undefined

const leftOut = (what: string) => {
  throw new Error(`${what} was left out of the bundle: see local/build/standIns.ts`)
}

/** Requests are repeated in the standard way. */
export function AdaptiveRetryStrategy() {
  leftOut('Adaptive retry')
}

/** DynamoDB tells moments as seconds, and items hold none. */
export const parseEpochTimestamp = (seconds: number): Date => new Date(seconds * 1000)
export const dateToUtcString = () => leftOut('Moments as text')
export const parseRfc3339DateTime = () => leftOut('Moments as text')
export const parseRfc3339DateTimeWithOffset = () => leftOut('Moments as text')
export const parseRfc7231DateTime = () => leftOut('Moments as text')

/** Node has its own SHA-256. */
export const Sha256Js = undefined

/** DynamoDB's addresses are known without asking it for them. */
export function EndpointCache() {}

// Where an address does not end as everywhere else.
const suffixes: readonly (readonly [RegExp, string])[] = [
  [/^cn-/, 'amazonaws.com.cn'],
  [/^eusc-/, 'amazonaws.eu'],
  [/^us-iso-/, 'c2s.ic.gov'],
  [/^us-isob-/, 'sc2s.sgov.gov'],
  [/^eu-isoe-/, 'cloud.adc-e.uk'],
  [/^us-isof-/, 'csp.hci.ic.gov'],
]

type Asked = { Endpoint?: string; Region?: string; UseFIPS?: boolean; UseDualStack?: boolean }

/** The region's plain address of DynamoDB, without the SDK's engine that finds it for every service and case. */
export function defaultEndpointResolver({ Endpoint, Region = '', UseFIPS, UseDualStack }: Asked) {
  if (UseFIPS || UseDualStack) leftOut('Another than the plain address of DynamoDB')
  const suffix = suffixes.find(([regions]) => regions.test(Region))?.[1] ?? 'amazonaws.com'
  return { url: new URL(Endpoint ?? `https://dynamodb.${Region}.${suffix}`), properties: {}, headers: {} }
}

/** The table behind that engine. */
export const partitionsInfo = { partitions: [] }

/** Nor does a request to it carry anything but a body. */
export const getHttpOperationBindings = (): readonly string[] => []
export function HttpBindingNormalizedSchema() {}
export function HeaderFormatter() {}

/** Nobody gives the SDK a log, waits for its advice on Node, asks it for all pages, or asks for S3. */
export const getLoggerPlugin = () => ({ applyToStack: () => undefined })
export const loggerMiddleware = () => leftOut('A log of the SDK')
export const loggerMiddlewareOptions = {}
export const schemaLogFilter = () => leftOut('A log of the SDK')
export const emitWarningIfUnsupportedVersion = () => undefined
export const state = {}
export const resolveParamsForS3 = () => leftOut('S3')

/** DynamoDB calls no function back, so no call has to say which ones led to it. */
export const getRecursionDetectionPlugin = () => ({ applyToStack: () => undefined })
export const recursionDetectionMiddleware = () => leftOut('Recursion detection')

/** HTML is read without turning entities into characters (richText.ts), so the table of all their names is not needed. */
export function EntityDecoder() {}
export const DecodingMode = {}
export const htmlDecodeTree = undefined
export const xmlDecodeTree = undefined
