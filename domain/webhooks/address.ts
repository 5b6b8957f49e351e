import { BlockList, isIP } from 'node:net'

type Block = readonly [address: string, bits: number]

// IANA's registries of special-purpose addresses (RFC 6890), and multicast, which is no destination for one request.

/** IPv4: what is not globally reachable. */
const closed4: readonly Block[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers
  ['127.0.0.0', 8], // this machine
  ['169.254.0.0', 16], // this link; metadata of clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // IETF protocols, see `open`
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4, out of use
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and the broadcast address
]

/** IPv6: what is not globally reachable within 2000::/3. Outside of it nothing is, except `nat64`. */
const closed6: readonly Block[] = [
  ['2001::', 23], // IETF protocols, Teredo included, which embeds an IPv4 address; see `open`
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which embeds an IPv4 address
  ['3fff::', 20], // documentation
]

/** Globally reachable parts of the blocks above. */
const open: readonly Block[] = [
  ['192.0.0.9', 32],
  ['192.0.0.10', 32],
  ['2001:1::1', 128],
  ['2001:1::2', 128],
  ['2001:1::3', 128],
  ['2001:3::', 32],
  ['2001:4:112::', 48],
  ['2001:20::', 28],
  ['2001:30::', 28],
]

/** The prefix of addresses that a gateway translates: their last 32 bits are an IPv4 address, which is judged. */
const nat64 = '64:ff9b::'
const NAT64_BITS = 96

const listOf = (blocks: readonly Block[]): BlockList => {
  const list = new BlockList()
  for (const [address, bits] of blocks) list.addSubnet(address, bits, address.includes(':') ? 'ipv6' : 'ipv4')
  return list
}

const embedded = closed4.map(([address, bits]): Block => [`${nat64}${address}`, NAT64_BITS + bits])
const closed = listOf([...closed4, ...closed6, ...embedded])
const opened = listOf(open)
const unicast6 = listOf([
  ['2000::', 3],
  [nat64, NAT64_BITS],
])

/**
 * Whether the whole internet can reach an address, by IANA's special-purpose registries. False for what is no IP address, and
 * for IPv6 addresses with a zone. IPv4-mapped addresses (::ffff:0:0/96) are not reachable, whatever they embed.
 */
export function isGloballyReachable(address: string): boolean {
  if (address.includes('%')) return false
  switch (isIP(address)) {
    case 4:
      return isOpen(address)
    case 6:
      return isIn(unicast6, address) && isOpen(address)
    default:
      return false
  }
}

const isOpen = (address: string): boolean => isIn(opened, address) || !isIn(closed, address)

/** Whether an address is in one of the blocks. A text that is no address is in none. */
const isIn = (list: BlockList, text: string): boolean =>
  // Stryker disable next-line StringLiteral: Node takes every family but ipv4 as IPv6
  list.check(text, isIP(text) === 4 ? 'ipv4' : 'ipv6')

const thisMachine = listOf([
  ['127.0.0.0', 8],
  ['::1', 128],
])

/** Whether a text is an address of this machine: `npm start` sends there. */
export const isLoopback = (text: string): boolean => isIn(thisMachine, text)
