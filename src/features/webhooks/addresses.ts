// The addresses that a webhook may be sent to: those of the public internet (CWE-918).
import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Not public by the IANA IPv4 Special-Purpose Address Registry, and multicast. */
const special4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  // Shared by the customers of a provider (RFC 6598).
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local; clouds serve the credentials of a machine at 169.254.169.254.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  // Relays to 6to4 (RFC 7526).
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const

/**
 * Only 2000::/3 of IPv6 is public. Mapped IPv4 addresses, NAT64, unique-local, link-local,
 * multicast, loopback and unspecified addresses are outside of it.
 */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')

/** Networks in 2000::/3 that are not public, or hold an IPv4 address. */
const special6 = [
  // Protocol assignments, with Teredo (RFC 4380).
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4 (RFC 3056).
  ['2002::', 16],
  ['3fff::', 20],
] as const

const special = new BlockList()
for (const [network, bits] of special4) special.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of special6) special.addSubnet(network, bits, 'ipv6')

/** Whether it is an address of the public internet. An IPv6 address with a zone is not. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return false
  return global6.check(address, 'ipv6') && !special.check(address, 'ipv6')
}
