import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressKey, clientAddress } from './address.ts'

const keys: [address: string, key: string][] = [
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['0:0:0:0:0:ffff:c000:0207', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['nonsense', 'unknown'],
]
for (const [address, key] of keys) {
  test(`${address} is counted as ${key}`, () => assert.equal(addressKey(address), key))
}

const trusts = (address: string) => address.startsWith('10.')

const clients: [why: string, socket: string, forwarded: string | undefined, client: string][] = [
  ['a stranger who forwards for himself is himself', '192.0.2.7', '203.0.113.9', '192.0.2.7'],
  ['behind a proxy, the address the proxy saw', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
  [
    'what a stranger wrote further left is ignored',
    '10.0.0.1',
    '1.1.1.1, 203.0.113.9',
    '203.0.113.9',
  ],
  ['behind two proxies', '10.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9'],
  ['a proxy without the field is the client', '10.0.0.1', undefined, '10.0.0.1'],
  ['rubbish from a proxy leaves the proxy', '10.0.0.1', 'evil', '10.0.0.1'],
]
for (const [why, socket, forwarded, expected] of clients) {
  test(why, () => assert.equal(clientAddress(socket, forwarded, trusts), expected))
}
