import assert from 'node:assert/strict'
import { test } from 'node:test'
import { world } from '../../test/support/world.ts'

const path = '/.well-known/security.txt'

test('security.txt names the contact of the operator and a date before which it is current', async (t) => {
  const bank = await world(t, { settings: { SECURITY_CONTACT: 'mailto:security@bank.example' } })
  const read = async () => {
    const reply = await bank.send('GET', path)
    assert.equal(reply.status, 200)
    assert.equal(reply.headers['content-type'], 'text/plain; charset=utf-8')
    assert.equal(reply.headers['x-content-type-options'], 'nosniff')
    const [, date = ''] = /^Expires: (.+)$/m.exec(reply.text) ?? []
    assert.equal(
      reply.text,
      `Contact: mailto:security@bank.example\nExpires: ${date}\n` +
        `Canonical: https://bank.example${path}\n`,
    )
    return Date.parse(date) - bank.clock.now()
  }
  const day = 86_400_000
  const first = await read()
  assert.ok(first > 89 * day && first <= 90 * day)
  bank.clock.advance(day - 1)
  assert.ok((await read()) > 89 * day)
  assert.equal((await bank.send('HEAD', path)).status, 200)
  const posted = await bank.send('POST', path)
  assert.deepEqual([posted.status, posted.headers['allow']], [405, 'GET, HEAD'])
})

test('without a contact there is no security.txt', async (t) => {
  const bank = await world(t)
  assert.equal((await bank.send('GET', path)).body.code, 'not_found')
})
