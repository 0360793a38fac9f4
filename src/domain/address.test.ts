import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressKey, clientAddress, shownAddress } from './address.ts'

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
  ['64:ff9b::192.0.2.7', '192.0.2.7'],
  ['64:FF9B::c000:207', '192.0.2.7'],
  ['64:ff9b:0:0:0:0:192.0.2.7', '192.0.2.7'],
  ['64:ff9b:1::192.0.2.7', '64:ff9b:1:0::/64'],
  ['::192.0.2.7', '0:0:0:0::/64'],
  ['::c000:207', '0:0:0:0::/64'],
  ['::ffff:0:192.0.2.7', '0:0:0:0::/64'],
  ['2001:db8::ffff:192.0.2.7', '2001:db8:0:0::/64'],
  ['nonsense', 'unknown'],
]
for (const [address, key] of keys) {
  test(`${address} is counted as ${key}`, () => assert.equal(addressKey(address), key))
}

const trusts = (address: string) => address.startsWith('10.')

const clients: [why: string, socket: string, forwarded: string | undefined, client: string][] = [
  ['X-Forwarded-For of an untrusted client is ignored', '192.0.2.7', '203.0.113.9', '192.0.2.7'],
  ['behind a proxy, the address the proxy saw', '10.0.0.1', '203.0.113.9', '203.0.113.9'],
  [
    'entries to the left of the client are ignored',
    '10.0.0.1',
    '1.1.1.1, 203.0.113.9',
    '203.0.113.9',
  ],
  ['behind two proxies', '10.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9'],
  ['a proxy without the field is the client', '10.0.0.1', undefined, '10.0.0.1'],
  ['rubbish from a proxy leaves the proxy', '10.0.0.1', 'evil', '10.0.0.1'],
  ['an IPv4 entry with a port is its address', '10.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
  ['an IPv6 entry with a port is its address', '10.0.0.1', '[2001:db8::1]:443', '2001:db8::1'],
  ['an IPv6 entry in brackets is its address', '10.0.0.1', '[2001:db8::1]', '2001:db8::1'],
  ['a plain IPv6 entry keeps its last group', '10.0.0.1', '2001:db8::1:443', '2001:db8::1:443'],
  [
    'a trusted proxy is one with a port too',
    '10.0.0.1',
    '203.0.113.9:80, 10.0.0.2:81',
    '203.0.113.9',
  ],
  [
    'what is malformed leaves the nearest trusted proxy, whatever is left of it',
    '10.0.0.1',
    '203.0.113.9, 203.0.113.7:4711:1, 10.0.0.2',
    '10.0.0.2',
  ],
]
const malformed = [
  '',
  'unknown',
  '_hidden',
  '1.2.3',
  '1.2.3.4:',
  '1.2.3.4:123456',
  '1.2.3.4:x',
  '[1.2.3.4]',
  '[1.2.3.4]:80',
  '[2001:db8::1',
  '[2001:db8::1]x',
  '[[2001:db8::1]]',
  '2001:db8::1]:443',
  'fe80::1%eth0',
  '[fe80::1%eth0]:80',
  '0x7f.0.0.1',
  '::ffff:1.2.3.4.5',
]
for (const entry of malformed) {
  test(`the entry "${entry}" leaves the proxy that sent it`, () => {
    assert.equal(clientAddress('10.0.0.1', entry, trusts), '10.0.0.1')
    assert.equal(clientAddress('10.0.0.1', `203.0.113.9, ${entry}`, trusts), '10.0.0.1')
  })
}

const shown: [address: string, network: string][] = [
  ['203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.0/24'],
  ['64:ff9b::203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
  ['', 'unknown'],
]
for (const [address, network] of shown) {
  test(`the log shows of "${address}" as much as it is set to`, () => {
    assert.equal(shownAddress(address, 'full'), address)
    assert.equal(shownAddress(address, 'network'), network)
    assert.equal(shownAddress(address, 'none'), undefined)
  })
}

for (const [why, socket, forwarded, expected] of clients) {
  test(why, () => assert.equal(clientAddress(socket, forwarded, trusts), expected))
}
