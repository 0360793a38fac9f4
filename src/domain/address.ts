// Client addresses: the identity each is limited as, whatever its spelling, the part that the log
// shows, and the client's address behind trusted proxies.
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

/**
 * The identity an address is limited as: an IPv4 address, also one embedded in IPv6, as itself; any
 * other IPv6 address as its /64, the least that a subscriber is assigned.
 */
export function addressKey(address: string): string {
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return 'unknown'
  const parts = expand(address.split('%', 1)[0] as string)
  const embedded = embeddedIn(parts)
  if (embedded !== undefined) return embedded
  const network = parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}

/** 96 bits before an IPv4 address: mapped (RFC 4291, 2.5.5.2) and NAT64 (RFC 6052, 2.1). */
const embeddingPrefixes = [
  [0, 0, 0, 0, 0, 0xffff],
  [0x64, 0xff9b, 0, 0, 0, 0],
]

function embeddedIn(parts: readonly number[]): string | undefined {
  const isEmbedding = embeddingPrefixes.some((prefix) =>
    prefix.every((part, index) => part === parts[index]),
  )
  if (!isEmbedding) return undefined
  const [high = 0, low = 0] = parts.slice(6)
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

/** An IPv4 address that is embedded in an IPv6 address as itself; any other without its zone. */
export function openAddress(address: string): string {
  const bare = address.replace(/%.*$/, '')
  return isIPv6(bare) ? (embeddedIn(expand(bare)) ?? bare) : bare
}

/** An address, or a CIDR range (RFC 4632, RFC 4291 section 2.3). */
export type Range = { address: string; bits: number; family: 'ipv4' | 'ipv6' }

/** `192.0.2.7`, `192.0.2.0/24`, `2001:db8::/32`; undefined when it is none of them. */
export function parseRange(text: string): Range | undefined {
  const [address = '', prefix, ...more] = text.split('/')
  const family = address.includes('%') ? 0 : isIP(address)
  if (family === 0 || more.length > 0) return undefined
  const lengthMax = family === 4 ? 32 : 128
  const bits = prefix ?? `${lengthMax}`
  if (!/^(0|[1-9]\d{0,2})$/.test(bits) || Number(bits) > lengthMax) return undefined
  return { address, bits: Number(bits), family: family === 4 ? 'ipv4' : 'ipv6' }
}

/** Whether the range is wider than any network of one owner: /8 of IPv4, /7 of IPv6. */
export function isWide({ address, bits, family }: Range): boolean {
  if (family === 'ipv4') return bits < 8
  const embedsIpv4 = embeddingPrefixes.some((prefix) => {
    const known = new BlockList()
    known.addSubnet(address, Math.min(bits, 96), family)
    return known.check(`${prefix.map((part) => part.toString(16)).join(':')}:0:0`, family)
  })
  return bits < (embedsIpv4 ? 96 + 8 : 7)
}

/** Whether an address is in one of the ranges; undefined when one of them is none. */
export function rangeSet(ranges: readonly string[]): ((address: string) => boolean) | undefined {
  const known = new BlockList()
  for (const text of ranges) {
    const range = parseRange(text)
    if (!range) return undefined
    known.addSubnet(range.address, range.bits, range.family)
  }
  if (ranges.length === 0) return () => false
  return (address) => {
    const bare = address.replace(/%.*$/, '')
    const family = isIP(bare)
    // An IPv4 client of a dual-stack socket shows as ::ffff:192.0.2.1; BlockList knows it as IPv4.
    return family !== 0 && known.check(bare, family === 4 ? 'ipv4' : 'ipv6')
  }
}

/** The eight 16-bit groups of an IPv6 address (RFC 4291 section 2.2). */
function expand(address: string): number[] {
  const parse = (part: string) =>
    part === '' ? [] : part.split(':').flatMap((group) => parseGroups(group))
  const [left = '', right] = address.split('::')
  const head = parse(left)
  if (right === undefined) return head
  const tail = parse(right)
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

function parseGroups(text: string): number[] {
  if (!text.includes('.')) return [Number.parseInt(text, 16)]
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map((octet) => Number.parseInt(octet, 10))
  return [(a << 8) | b, (c << 8) | d]
}

/** How much of a client's address the log shows. */
export const addressDetails = ['full', 'network', 'none'] as const
export type AddressDetail = (typeof addressDetails)[number]

/** An address as the log shows it: in full, its network (IPv4 /24, IPv6 /64), or not at all. */
export function shownAddress(address: string, detail: AddressDetail): string | undefined {
  if (detail === 'none') return undefined
  if (detail === 'full') return address
  const key = addressKey(address)
  return isIPv4(key) ? key.replace(/\d+$/, '0/24') : key
}

/**
 * The client's address: the socket's, or, behind trusted proxies, the right-most entry of
 * `X-Forwarded-For` that is not a trusted proxy. Entries further left are written by clients and
 * ignored. If an entry is not an address, the result is the trusted proxy that sent it: its clients
 * share a limit then, and none chooses its own.
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  isTrusted: (address: string) => boolean,
): string {
  let address = socketAddress
  const hops = forwardedFor?.split(',').map((hop) => hop.trim()) ?? []
  while (isTrusted(address)) {
    const hop = addressIn(hops.pop() ?? '')
    if (hop === undefined) return address
    address = hop
  }
  return address
}

/** `192.0.2.7`, `2001:db8::1`, `[2001:db8::1]`, and the forms with a port (RFC 7239 section 6). */
const node = /^(?:\[(?<ipv6>[^\]]*)\]|(?<ipv4>[^:]*))(?::\d{1,5})?$/

/** The address in an entry. A zone is an interface of another machine, so it is not accepted. */
function addressIn(entry: string): string | undefined {
  if (entry.includes('%')) return undefined
  if (isIPv6(entry)) return entry
  const { ipv6 = '', ipv4 = '' } = node.exec(entry)?.groups ?? {}
  if (isIPv6(ipv6)) return ipv6
  return isIPv4(ipv4) ? ipv4 : undefined
}
