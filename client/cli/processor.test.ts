// `strongroom client processor` at a real bank: the clearing account holds what it counted,
// wherever it was killed and whatever answer was lost.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { newProcessor } from '../../test/support/card-payments.ts'
import { assertSound, type Scene, scene } from '../../test/support/fixture.ts'
import {
  keepLogin,
  killAtEachRequest,
  loseFirstAnswers,
  optionsIn,
  readClearing,
} from '../../test/support/other-sides.ts'
import { publishedClient } from '../../test/support/published-client.ts'
import { runProcessor } from './processor.ts'

const bin = fileURLToPath(new URL('../../bin/strongroom.js', import.meta.url))
const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-processor-'))
after(() => rm(folder, { recursive: true, force: true }))

async function cardOf({ ada }: Scene, account: string): Promise<string> {
  const made = await ada.post(`/api/v1/accounts/${account}/cards`, {})
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

const optionsFor = optionsIn(folder)

test('the command authorises and captures, and the next start counts the same', async (t) => {
  const made = await scene(t)
  const program = await newProcessor(made)
  const at = await keepLogin(made, program, folder)
  const journal = path.join(folder, 'command')
  const use = async (...args: string[]) => {
    const given = ['client', 'processor', '--folder', at, '--journal', journal, '--json', ...args]
    const { stdout } = await promisify(execFile)(process.execPath, [bin, ...given])
    return JSON.parse(stdout) as { approved: number; declined: number; clearing: string }[]
  }
  const card = await cardOf(made, made.from)
  const [first] = await use('--rounds', '3', '--cards', card)
  const [again] = await use('--rounds', '1')
  assert.equal(Number(again?.approved) + Number(again?.declined), 3)
  assert.equal(again?.approved, first?.approved)
  assert.equal(await readClearing(made), again?.clearing)
  await assertSound(made)
})

for (const when of ['before', 'after'] as const) {
  test(`killed ${when} each of its requests and started again, a processor counts what the clearing account holds`, async (t) => {
    const made = await scene(t)
    const { from, clock } = made
    const cards = [await cardOf(made, from), await cardOf(made, from)]
    await killAtEachRequest(made, when, {
      prepare: () => newProcessor(made),
      run: (bank, name, signal) => runProcessor(bank, optionsFor(name, { cards, signal }), clock),
      async restart(bank, name) {
        await runProcessor(bank, optionsFor(name, { cards }), clock)
        // What is captured late, and what has expired.
        clock.advance(4000)
        return runProcessor(bank, optionsFor(name), clock)
      },
    })
  })
}

test('a processor that hears nothing of any first attempt has every fate of a payment, and counts what the clearing account holds', async (t) => {
  const made = await scene(t)
  const program = await newProcessor(made)
  const card = await cardOf(made, made.from)
  const cards = Array.from({ length: 30 }, () => card)
  const bank = publishedClient(made.send, program.token, loseFirstAnswers)
  await runProcessor(bank, optionsFor('unheard', { cards }), made.clock)
  made.clock.advance(4000)
  const [counted] = await runProcessor(bank, optionsFor('unheard'), made.clock)
  assert.ok(Number(counted?.approved) > 10, JSON.stringify(counted))
  assert.equal(await readClearing(made), counted?.clearing)
  const { rows } = await made.sql(
    `select distinct status from holds
     union select coalesce(e.outcome, 'open') from card_chargebacks b
     left join chargeback_ends e on e.chargeback_id = b.transfer_id order by 1`,
  )
  assert.deepEqual(
    rows.map(({ status }) => status),
    ['captured', 'expired', 'lost', 'open', 'released', 'withdrawn', 'won'],
  )
  assert.ok(Number(counted?.chargedBack) > 0, JSON.stringify(counted))
  await assertSound(made)
})

test('an authorisation whose end passes on its way to the bank is given up, and the others go on', async (t) => {
  const made = await scene(t)
  const program = await newProcessor(made)
  const card = await cardOf(made, made.from)
  let late = 0
  const send: Scene['send'] = (method, at, asked) => {
    if (String(asked?.body).includes('"expiresAt"') && ++late === 1) made.clock.advance(3000)
    return made.send(method, at, asked)
  }
  const bank = publishedClient(send, program.token)
  const cards = Array.from({ length: 30 }, () => card)
  const [counted] = await runProcessor(bank, optionsFor('late', { cards }), made.clock)
  assert.ok(late > 0, 'there was one')
  assert.ok(Number(counted?.approved) > 10, JSON.stringify(counted))
  assert.equal(await readClearing(made), counted?.clearing)
  await assertSound(made)
})
