// The identity a network address is counted as, whatever spelling it arrives in.
import { isIPv4, isIPv6 } from 'node:net'

/**
 * The identity an address is limited as: IPv4 as it is, IPv4-mapped IPv6 as its IPv4 address, IPv6
 * by its /64 (one subscriber holds at least that much).
 */
export function addressKey(address: string): string {
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return 'unknown'
  const withoutZone = address.split('%', 1)[0] as string
  const mapped = /^::(?:ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(withoutZone)
  if (mapped?.[1] !== undefined) return mapped[1]
  const groups = expand(withoutZone)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) {
    const [high = 0, low = 0] = groups.slice(6)
    return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight 16-bit groups of an IPv6 address (RFC 4291 section 2.2). */
function expand(address: string): number[] {
  const parse = (part: string) =>
    part === '' ? [] : part.split(':').flatMap((group) => groupsOf(group))
  const [left = '', right] = address.split('::')
  const head = parse(left)
  if (right === undefined) return head
  const tail = parse(right)
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

function groupsOf(text: string): number[] {
  if (!text.includes('.')) return [Number.parseInt(text, 16)]
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map((octet) => Number.parseInt(octet, 10))
  return [(a << 8) | b, (c << 8) | d]
}

/**
 * The client's address: the socket's, or, when the socket is a trusted proxy, the right-most entry
 * of `X-Forwarded-For` that no trusted proxy wrote about another. Anything a stranger put further
 * left is not looked at.
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  isTrusted: (address: string) => boolean,
): string {
  let address = socketAddress
  const hops = forwardedFor?.split(',').map((hop) => hop.trim()) ?? []
  while (isTrusted(address)) {
    const hop = hops.pop()
    if (hop === undefined || (!isIPv4(hop) && !isIPv6(hop))) return address
    address = hop
  }
  return address
}
