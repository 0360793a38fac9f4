// User names and e-mail addresses in their canonical form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normaliseEmail, normaliseUsername } from './usernames.ts'

test('an address that a mail program would read as another one is none', () => {
  const refused = [
    '=?utf-8?q?mallory=40evil.example?=@bank.example',
    'a=?utf-8*en?b?YUBi?=b@bank.example',
    '=?utf-8?q?a.b?c?=@bank.example',
    '=?x?q??=@bank.example',
    'ada@[127.0.0.1]',
    'ada@[ipv6:::1]',
    'ada@127.0.0.1',
    'ada@1',
    'ada@0x7f.1',
    'ada@bank.123',
    // Does not decode (RFC 3492), decodes to ASCII, to capitals, to nothing.
    'ada@xn--zzzzz999999.example',
    'ada@xn--abc-.example',
    'ada@xn--wca.example',
    'ada@bank.xn--0',
    `${'a'.repeat(65)}@bank.example`,
    `ada@${'a'.repeat(64)}.example`,
  ]
  for (const text of refused) assert.equal(normaliseEmail(text), undefined, text)
})

test('the addresses that people have are addresses', () => {
  const taken = [
    'ada@bank.example',
    'ada+bank=2026@mail.uni-berlin.example',
    "o'neil&sons_{x}@a.b.c.d.example",
    'what?@bank.example',
    'why=?because@bank.example',
    'a?=@bank.example',
    '=?x?q?a@bank.example',
    'ada@localhost',
    'ada@163.example',
    'ada@r3---sn-a.example',
    'ada@xn--mnchen-3ya.example',
    'ada@xn--fa-hia.example',
    'ada@xn--mxahbxey0c.xn--jxalpdlp',
    `${'a'.repeat(64)}@bank.example`,
  ]
  for (const text of taken) assert.equal(normaliseEmail(text), text)
  assert.equal(normaliseEmail('ADA@XN--MNCHEN-3YA.example'), 'ada@xn--mnchen-3ya.example')
})

test('an address has at most 254 characters, before and behind its folding', () => {
  const host = `@${`${'h'.repeat(61)}.`.repeat(3)}example`
  const of = (length: number) => 'a'.repeat(length - host.length) + host
  assert.equal(normaliseEmail(of(254)), of(254))
  assert.equal(normaliseEmail(of(255)), undefined)
  // A ligature is three letters: what is stored has too many of them.
  const folded = `${'a'.repeat(254 - host.length - 2)}ﬃ${host}`
  assert.equal(folded.length, 253)
  assert.equal(normaliseEmail(folded), undefined)
  assert.equal(normaliseEmail(`${'a'.repeat(254 - host.length - 3)}ﬃ${host}`)?.length, 254)
})

test('a user name has 3 to 32 of its characters, in one form', () => {
  for (const name of ['ada', 'a1_', '007', `a${'.'.repeat(31)}`, 'a-b.c_d']) {
    assert.equal(normaliseUsername(name), name)
  }
  assert.equal(normaliseUsername('ADA'), 'ada')
  assert.equal(normaliseUsername('ａｄａ'), 'ada')
  assert.equal(normaliseUsername('ﬁne'), 'fine')
  for (const text of [
    '',
    'ad',
    'a'.repeat(33),
    '.ada',
    '-ada',
    '_ada',
    'a da',
    'adä',
    'ada\n',
    'a@b',
  ]) {
    assert.equal(normaliseUsername(text), undefined, JSON.stringify(text))
  }
})
