// Invitations of imported people: so many in an hour, and none twice.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { bank } from '../../../test/support/bank.ts'
import { imported, newPlace, writeFolder } from '../../../test/support/import-folder.ts'
import { run } from '../../../test/support/program.ts'
import { toUrl } from '../../../test/support/database.ts'
import { readConfig } from '../../config/config.ts'
import type { LocalAddress } from '../../database/connections/connect.ts'
import { StartupError } from '../../domain/startup-error.ts'
import { importFolder } from './import.ts'
import { invite, inviteCommand } from './invite.ts'

const minuteMs = 60_000

async function scene(t: TestContext, peopleCount: number) {
  const made = await bank(t)
  const place = await newPlace(t)
  const { people, totals } = imported(peopleCount)
  const none = { accounts: 0, beneficiaries: 0, orders: 0, history: 0, currencies: {} }
  const onlyPeople = { ...totals, ...none }
  await writeFolder(place, { people, totals: onlyPeople })
  const { address, clock } = made
  await importFolder(place, { address, clock, config: readConfig({}), say: () => {} })
  const mails = async () =>
    (await made.sql(`select u.username, m.created_at as at
      from mails m join users u on u.id = m.user_id where m.kind = 'invitation'
      order by m.created_at`)) as { username: string; at: Date }[]
  return { ...made, mails }
}

class Stop extends Error {}

test('people are invited once each, never more in an hour than said, through stops and by two runs', async (t) => {
  const { db, clock, mails, sql } = await scene(t, 130)
  await sql(`update users set status = 'disabled' where username = 'person0'`)
  await sql(`update users set password_hash = 'set' where username = 'person1'`)
  let said = ''
  let rounds = 0
  const options = (perHour: number, stopAfter = Infinity) => ({
    say: (text: string) => (said += text),
    perHour,
    clock,
    async wait(ms: number) {
      clock.advance(ms)
      if (++rounds === stopAfter) throw new Stop()
    },
  })
  // Killed in the first hour, and begun again at once by two.
  await assert.rejects(invite(db, options(60, 30)), Stop)
  assert.equal((await mails()).length, 30)
  await Promise.all([invite(db, options(60)), invite(db, options(60))])
  const sent = await mails()
  assert.equal(new Set(sent.map(({ username }) => username)).size, sent.length)
  assert.equal(sent.length, 128)
  assert.ok(!sent.some(({ username }) => username === 'person0' || username === 'person1'))
  const times = sent.map(({ at }) => at.getTime())
  for (const time of times) {
    const within = times.filter((other) => other >= time && other < time + 60 * minuteMs)
    assert.ok(within.length <= 60, `${within.length} within an hour`)
  }
  assert.match(said, /\d+ invited, 0 wait\.\n$/)
  await invite(db, options(60))
  assert.equal((await mails()).length, 128)
  const events = await sql(`select detail from audit_events where action = 'inviteImported'`)
  const counted = events.map(({ detail }) => Number.parseInt(detail as string, 10))
  assert.equal(
    counted.reduce((sum, count) => sum + count, 0),
    128,
  )
})

test('a dry run says how long it would take, and sends nothing; a wrong number is refused', async (t) => {
  const { address, mails } = await scene(t, 25)
  const settings = { DATABASE_URL: toUrl(address as LocalAddress) }
  const dry = run(['invite', '--per-hour', '12', '--dry-run'], settings)
  assert.equal(await dry.ended, 0, dry.err())
  assert.equal(dry.err(), '25 people wait for an invitation: 3 hours at 12 an hour.\n')
  assert.deepEqual(await mails(), [])
  const wrong = run(['invite', '--per-hour', '0'], settings)
  assert.equal(await wrong.ended, 2)
  assert.equal(wrong.err(), '--per-hour is a whole number from 1 to 100000.\n')
  for (const perHour of ['', '-1', '1.5', '1e3', ' 1', 'one', '100001', '1000000']) {
    const asked = inviteCommand(readConfig({}), assert.fail, { perHour, dryRun: true })
    await assert.rejects(asked, StartupError, perHour)
  }
})

test('the command itself sends the invitations', async (t) => {
  const { address, mails } = await scene(t, 3)
  const config = readConfig({ STRONGROOM_DATABASE_URL: toUrl(address as LocalAddress) })
  let said = ''
  await inviteCommand(config, (text) => (said += text), { perHour: '100000' })
  assert.equal(said, '3 invited, 0 wait.\n')
  const sent = (await mails()).map(({ username }) => username)
  assert.deepEqual(sent.toSorted(), ['person0', 'person1', 'person2'])
})
