// What exists and what does not cannot be told apart: not by body, not by headers, not by time.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { backgroundStatement } from './support/background.ts'
import { openAccount } from './support/fixture.ts'
import { type Random, createRandom } from './support/random.ts'
import { readBelongings } from './support/requests.ts'
import { type Difference, interleave, median, toPairs, type Samples } from './support/timing.ts'
import { foreign, invitations, type Kinds, logins, resets } from './support/indistinguishable.ts'
import { type Reply, world, type World } from './support/world.ts'

const second = 1000

/** A reply without what has to differ: its number, its second, and what the limits still allow. */
function compared({ status, text, headers }: Reply): object {
  const { 'x-request-id': id, date, ratelimit = '', ...rest } = headers
  assert.ok(id !== undefined && date !== undefined)
  return { status, text, rest, ratelimit: ratelimit.replaceAll(/r=\d+/g, 'r=') }
}

/**
 * One answer, and one way to it: the database is asked the same, however the machine fares. What
 * the time then still tells, nobody has put there.
 */
async function assertAlike(t: TestContext, kinds: Kinds): Promise<void> {
  const asked = t.mock.method(pg.Client.prototype, 'query').mock
  let first: unknown
  for (const [kind, ask] of Object.entries(kinds)) {
    await ask()
    asked.resetCalls()
    const reply = compared(await ask())
    const names = asked.calls.map((call) => (call.arguments[0] as { name?: string }).name ?? '')
    const statements = names.filter((name) => name !== '' && !backgroundStatement.test(name))
    assert.ok(statements.length > 0, 'the database is asked')
    first ??= [reply, statements]
    assert.deepEqual([reply, statements], first, kind)
  }
  asked.restore()
}

/** Ben is disabled, Agnes and he have a second factor, and Ivy has been invited. */
async function withPeople(t: TestContext): Promise<World> {
  const bank = await world(t, { hashing: 'real' })
  await bank.sql(`update users set status = 'disabled' where username = 'ben'`)
  await bank.sql(`update users set has_factor = true where username in ('agnes', 'ben')`)
  await bank.sql(
    `insert into users (id, username, email, given_name, family_name, roles, created_at)
     values ('01940000-0000-7000-8000-0000000000aa', 'ivy', 'ivy@example.com', 'Ivy', 'Invited',
             '{customer}', '2026-01-01')`,
  )
  return bank
}

test('unknown, wrong, disabled, invited: one answer, one way to it', async (t) => {
  await assertAlike(t, logins(await withPeople(t)))
})

test('what the limits still allow is told alike of those who are and those who are not', async (t) => {
  const bank = await world(t, { limits: 'default' })
  await bank.sql(`update users set status = 'disabled' where username = 'ben'`)
  const told: string[] = []
  for (const [at, username] of ['ada', 'nil', 'ben'].entries()) {
    const answers: (string | undefined)[] = []
    for (let turn = 0; turn < 7; turn++) {
      const body = { username, password: 'seven fat kine in a barn' }
      const from = `127.${at + 1}.0.${turn + 1}`
      const reply = await bank.send('POST', '/api/v1/auth/login', { from, body })
      const { ratelimit, 'ratelimit-policy': policy, 'retry-after': wait } = reply.headers
      answers.push(`${reply.status}`, reply.text, ratelimit, policy, wait)
    }
    told.push(JSON.stringify(answers))
  }
  assert.match(told[0] ?? '', /"401".*"429"/)
  assert.deepEqual(new Set(told).size, 1)
})

test('asking for a reset is answered alike for known, unknown and disabled, and by one way', async (t) => {
  await assertAlike(t, resets(await withPeople(t)))
})

/** Far enough apart that somebody could tell, whatever else the machine does. */
const isTelling = ({ shift, superiority }: Difference, most: number): boolean =>
  Math.abs(shift) > most && Math.abs(superiority - 0.5) > 0.2

/**
 * Fails when the same two kinds differ by more than `most` milliseconds in each of four batches: a
 * real difference does, a busy machine does not.
 */
async function assertSameTime(
  what: string,
  take: (random: Random) => Promise<Samples>,
  most: (samples: Samples) => number,
): Promise<void> {
  let suspected: string[] | undefined
  for (let batch = 1; batch <= 4; batch++) {
    const samples = await take(createRandom(batch))
    const telling = toPairs(samples).filter(([, , each]) => isTelling(each, most(samples)))
    const names = telling.map(([one, other]) => `${one} beside ${other}`)
    suspected = suspected?.filter((name) => names.includes(name)) ?? names
    if (suspected.length === 0) return
  }
  assert.fail(`${what}: these can be told apart by time: ${suspected?.join('; ')}`)
}

test('unknown, wrong, disabled, invited: one time, to within a quarter of a hash', async (t) => {
  const bank = await withPeople(t)
  const { passwords } = bank.running.core
  const costs: number[] = []
  const take = async (random: Random) => {
    const hash = async () => {
      // The attempts of a round leave their windows before they could fill them.
      bank.clock.advance(5 * second)
      await passwords.verify(null, 'x')
    }
    const all = await interleave({ hash, ...logins(bank) }, 20, random)
    const { hash: hashes = [], ...samples } = all
    costs.push(median(hashes))
    return samples
  }
  await assertSameTime('login', take, () => (costs.at(-1) ?? 0) / 4)
  t.diagnostic(`one hash: ${costs[0]?.toFixed(1)} ms`)
})

/** Less than a statement more would take, or what the net between hides. */
const slight = (samples: Samples): number =>
  Math.max(0.3, 0.15 * Math.min(...Object.values(samples).map(median)))

test('a reset takes the same time for known, unknown and disabled', async (t) => {
  const bank = await withPeople(t)
  const take = async (random: Random) => {
    // Even the wide limits let through a thousand of an address in an hour.
    bank.clock.advance(3600 * second)
    return interleave(resets(bank), 60, random)
  }
  await assertSameTime('reset', take, slight)
})

test('what is another’s and what is not there are refused alike, by one way and in one time', async (t) => {
  const bank = await world(t)
  const [own, theirs] = [await readBelongings(bank, 'ada'), await readBelongings(bank, 'ben')]
  const { token } = await bank.as('ada')
  for (const [what, kinds] of Object.entries(foreign(bank, token, own, theirs))) {
    await assertAlike(t, kinds)
    await assertSameTime(what, (random) => interleave(kinds, 60, random), slight)
  }
})

test('an invitation is made, changed and taken back alike, whether or not a customer has the name', async (t) => {
  const bank = await world(t, { settings: { MEMBERS: 'on' } })
  const ada = await bank.as('ada')
  const kinds = invitations(ada, await openAccount(ada))
  await assertAlike(t, kinds)
  await assertSameTime('invitation', (random) => interleave(kinds, 30, random), slight)
})
