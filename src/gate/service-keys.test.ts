// The form of a key, and the addresses that one is used from.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAddress, parseRange, rangeSet } from '../domain/address.ts'
import { hashKey, newKey } from './service-keys.ts'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('a key has the documented form and at least 160 random bits, and no two are alike', () => {
  const keys = Array.from({ length: 1000 }, newKey)
  for (const key of keys) assert.match(key, /^srk_[0-9A-Za-z]{36}$/)
  assert.equal(new Set(keys).size, keys.length)
  const counts = new Map([...digits].map((digit) => [digit, 0]))
  for (const digit of keys.map((key) => key.slice(4, 34)).join('')) {
    counts.set(digit, (counts.get(digit) ?? 0) + 1)
  }
  // 484 of each are expected; a bias of one in four would be seen.
  for (const [digit, count] of counts) assert.ok(count > 363 && count < 605, `${digit}: ${count}`)
  assert.ok(Math.log2(digits.length ** 30) > 160)
})

test('the checksum is the CRC-32 of the random digits in base 62, as a scanner computes it', () => {
  // From the reference table of CRC-32 (ISO 3309), bit by bit, not from zlib.
  const crc = (text: string): number => {
    let value = 0xffffffff
    for (const byte of Buffer.from(text)) {
      value ^= byte
      for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0)
    }
    return (value ^ 0xffffffff) >>> 0
  }
  assert.equal(crc('123456789'), 0xcbf43926)
  for (let turn = 0; turn < 100; turn++) {
    const key = newKey()
    const places = Array.from(key.slice(34)).map((digit) => digits.indexOf(digit))
    const value = places.reduce((sum, place) => sum * 62 + place, 0)
    assert.equal(value, crc(key.slice(4, 34)))
  }
})

test('a key with one wrong, swapped, missing or surplus character is known without a question', () => {
  const key = newKey()
  assert.match(hashKey(key) ?? '', /^[0-9a-f]{64}$/)
  for (let index = 4; index < key.length; index++) {
    for (const digit of digits) {
      if (digit === key[index]) continue
      assert.equal(hashKey(key.slice(0, index) + digit + key.slice(index + 1)), undefined)
    }
    const [one, other] = [key[index], key[index + 1]]
    if (other === undefined || one === other) continue
    const swapped = `${key.slice(0, index)}${other}${one}${key.slice(index + 2)}`
    assert.equal(hashKey(swapped), undefined, `swapped at ${index}`)
  }
  for (const wrong of ['', 'srk_', key.slice(1), `${key}\n`, ` ${key}`, key.replace('_', '-')]) {
    assert.equal(hashKey(wrong), undefined)
  }
})

test('ranges hold IPv4 and IPv6 addresses in every form that a socket or a proxy gives', () => {
  const isWithin = rangeSet(['192.0.2.0/24', '198.51.100.7', '2001:db8::/32', '::1'])
  assert.ok(isWithin)
  const within = ['192.0.2.255', '::ffff:192.0.2.1', '::ffff:c000:201', '64:ff9b::c000:201']
  const more = ['198.51.100.7', '2001:db8:ffff::1', '2001:DB8::', '0:0:0:0:0:0:0:1', 'fe80::1%eth0']
  const outside = ['192.0.3.0', '198.51.100.8', '2001:db9::', '::ffff:192.0.3.1', '::2', '', 'x']
  for (const address of [...within, ...more.slice(0, -1)]) {
    assert.ok(isWithin(openAddress(address)), address)
  }
  for (const address of [...outside, 'fe80::1%eth0', '64:ff9b::c000:301']) {
    assert.ok(!isWithin(openAddress(address)), address)
  }
  for (const text of ['192.0.2.0/33', '192.0.2', '::1/129', 'fe80::1%eth0', '1.2.3.4/', '/8', '']) {
    assert.equal(parseRange(text), undefined, text)
  }
  assert.equal(rangeSet(['192.0.2.1', 'x']), undefined)
})
