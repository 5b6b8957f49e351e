import { type LookupAddress, lookup as lookUpName } from 'node:dns'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { isGloballyReachable, isLoopback } from './address.ts'
import { hostOf, notPublic, urlFault } from './webhookUrl.ts'

// Which addresses the service connects to: checked when a webhook is pointed at a URL, and again before each attempt.

/** How names are looked up, which addresses may be reached, and for how long an answer is awaited. */
export type Reach = {
  /** All addresses of a name. */
  lookUp: (name: string) => Promise<readonly LookupAddress[]>
  isAllowed: (address: string) => boolean
  /** Whether http to this machine is fine: for `npm start` only. */
  isLocal: boolean
  /** Milliseconds for everything, the look-up of the name included. */
  deadline: number
  /** More certificates of authorities: for tests. */
  ca?: string
}

const DEADLINE_MS = 15_000

// IPv4 first: functions have no IPv6 to the outside.
const allAddresses = promisify(lookUpName)
const lookUp = (name: string) => allAddresses(name, { all: true, order: 'ipv4first' })

/** What the service may reach: the public internet; on a laptop also this machine. */
export const reachOf = ({ WEBHOOKS_TO_THIS_MACHINE }: NodeJS.ProcessEnv = process.env): Reach => {
  const isLocal = WEBHOOKS_TO_THIS_MACHINE === 'yes'
  return {
    lookUp,
    isAllowed: (address) => isGloballyReachable(address) || (isLocal && isLoopback(address)),
    isLocal,
    deadline: DEADLINE_MS,
  }
}

/** The host has an address that must not be reached. */
export class NotPublic extends Error {
  override name = 'NotPublic'
}

/** The first address of a URL's host, if all of them may be reached. Throws NotPublic if not. */
export async function resolve(url: URL, { lookUp, isAllowed }: Reach): Promise<LookupAddress> {
  const host = hostOf(url)
  const family = isIP(host)
  const found = family ? [{ address: host, family }] : await lookUp(host)
  const [first] = found
  if (!first || !found.every(({ address }) => isAllowed(address))) throw new NotPublic()
  return first
}

/**
 * Why a webhook cannot be pointed at a URL, as a message that follows the property's name: by its form, or by the addresses
 * of its name.
 */
export async function targetFault(text: string, reach: Reach): Promise<string | undefined> {
  const fault = urlFault(text, reach.isLocal)
  if (fault) return fault
  try {
    await withinDeadline(reach.deadline, () => resolve(new URL(text), reach))
  } catch (error) {
    return error instanceof NotPublic ? notPublic : 'must have a name that can be looked up'
  }
  return undefined
}

/** Does work until its time is over. Then its signal is aborted, and it fails with the signal's TimeoutError. */
export async function withinDeadline<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(ms)
  const over = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => over.reject(signal.reason))
  return Promise.race([work(signal), over.promise])
}
