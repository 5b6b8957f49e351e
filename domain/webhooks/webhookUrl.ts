import { isIP } from 'node:net'
import { isGloballyReachable, isLoopback } from './address.ts'

// What a webhook may be pointed at.

/** The name or literal address of a URL, without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replaceAll(/[[\]]/g, '')

/** The lowest port besides the default one: below are services that must not be reached by accident. */
const LOWEST_PORT = 1024

/**
 * Why a URL cannot be a webhook's, as a message that follows the property's name; undefined if it can. Literal addresses are
 * judged as the URL parser reads them, so shortened and hexadecimal forms do not hide one. With `isLocal` http to this
 * machine is fine.
 */
export function urlFault(text: string, isLocal = false): string | undefined {
  const url = URL.parse(text)
  // The parser drops or replaces these, so the URL would not be the one that is shown.
  if (!url || /[\s\\\p{Cc}]/u.test(text)) return 'must be a URL'
  const host = hostOf(url)
  const isHere = isLocal && /^http:\/\//i.test(text) && (host === 'localhost' || isLoopback(host))
  const faults: [isFault: unknown, message: string][] = [
    [!/^https:\/\//i.test(text) && !isHere, 'must begin with https://'],
    [/^[^/]*\/\/[^/?#]*@/.test(text), 'must have no credentials'],
    [text.includes('#'), 'must have no fragment'],
    [url.port && Number(url.port) < LOWEST_PORT, `must have the default port, or one from ${LOWEST_PORT} on`],
    [isIP(host) && !isHere && !isGloballyReachable(host), notPublic],
  ]
  return faults.find(([isFault]) => isFault)?.[1]
}

/** The message for an address, or a name with an address, that the internet cannot reach. */
export const notPublic = 'must lead to public addresses only'
