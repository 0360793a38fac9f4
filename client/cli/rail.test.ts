// `strongroom client rail` at a real bank: the clearing account holds what it counted, wherever it
// was killed and whatever answer was lost.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import { assertSound, many, type Scene, scene } from '../../test/support/fixture.ts'
import {
  keepLogin,
  killAtEachRequest,
  loseFirstAnswers,
  optionsIn,
  readClearing,
} from '../../test/support/other-sides.ts'
import { publishedClient } from '../../test/support/published-client.ts'
import { newProgram, type Program } from '../../test/support/service-accounts.ts'
import { money } from '../src/index.ts'
import { runRail } from './rail.ts'

const bin = fileURLToPath(new URL('../../bin/strongroom.js', import.meta.url))
const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-rail-'))
after(() => rm(folder, { recursive: true, force: true }))

const operations = [
  'createIncomingPayment',
  'findTransfers',
  'returnTransfer',
  'sendTransferBatch',
  'sendTransfer',
  'settleTransferBatch',
  'settleTransfer',
]
const newRail = (made: Scene): Promise<Program> => newProgram(made, { operations })

/** Payments of one to another bank. */
async function payElsewhere({ ada, from }: Scene, name: string, count = 10): Promise<string[]> {
  const at = `/api/v1/accounts/${from}/beneficiaries`
  const added = await ada.post(at, { name: 'Grace Hopper', iban: 'GB33BUKB20201555555555' })
  const known = added.status === 201 ? added.body : (await ada.get(at)).body.items[0]
  const money = { amount: '1.00', currency: 'EUR' }
  const body = { fromAccountId: from, beneficiaryId: known.id, ...money }
  const paid = await many(count, (index) =>
    ada.post('/api/v1/transfers', body, {
      headers: { 'idempotency-key': `${name} ${index}`.replaceAll(' ', '-') },
    }),
  )
  return paid.map(({ body: { id } }) => id as string)
}

const ibanOf = async ({ ada }: Scene, account: string): Promise<string> =>
  (await ada.get(`/api/v1/accounts/${account}`)).body.iban

const optionsFor = optionsIn(folder)

const sum = (counts: Awaited<ReturnType<typeof runRail>>): string[] =>
  counts.map(({ clearing }) => clearing)

test('the command takes, settles, brings back and delivers payments, and the next start counts the same', async (t) => {
  const made = await scene(t)
  const program = await newRail(made)
  const at = await keepLogin(made, program, folder)
  await payElsewhere(made, 'command', 20)
  const journal = path.join(folder, 'command')
  const use = async (...args: string[]) => {
    const given = ['client', 'rail', '--folder', at, '--journal', journal, '--rounds', '3']
    return promisify(execFile)(process.execPath, [bin, ...given, ...args])
  }
  const first = await use('--credit', await ibanOf(made, made.to))
  assert.match(first.stdout, /^Carried: \d+\n/)
  const clearing = await readClearing(made)
  assert.match(first.stdout, new RegExp(`^EUR .* 20\\.00 .* ${clearing.replace('.', '\\.')}$`, 'm'))
  const { rows } = await made.sql(
    `select distinct status from transfers where kind = 'transfer' order by 1`,
  )
  assert.ok(rows.every(({ status }) => status === 'completed' || status === 'returned'))
  const lines = await readFile(journal, 'utf8')
  // The last line as a kill would leave it.
  await writeFile(journal, `${lines}{"carried":"`)
  const [again] = JSON.parse((await use('--json')).stdout) as [{ clearing: string }]
  assert.equal(again.clearing, clearing)
  assert.equal(await readFile(journal, 'utf8'), lines)
  assert.equal(await readClearing(made), clearing)
  await assertSound(made)
})

for (const when of ['before', 'after'] as const) {
  test(`killed ${when} each of its requests and started again, a rail counts what the clearing account holds`, async (t) => {
    const made = await scene(t)
    const credit = [await ibanOf(made, made.to)]
    await killAtEachRequest(made, when, {
      async prepare(name) {
        await payElsewhere(made, name)
        return newRail(made)
      },
      run: (bank, name, signal) => runRail(bank, optionsFor(name, { credit, signal })),
      restart: (bank, name) => runRail(bank, optionsFor(name, { credit })),
    })
  })
}

test('a rail that hears nothing of any first attempt counts what the clearing account holds', async (t) => {
  const made = await scene(t)
  const program = await newRail(made)
  await payElsewhere(made, 'unheard', 12)
  const credit = [await ibanOf(made, made.to)]
  const bank = publishedClient(made.send, program.token, loseFirstAnswers)
  const counts = await runRail(bank, optionsFor('unheard', { credit, rounds: 2 }))
  assert.deepEqual(sum(counts), [await readClearing(made)])
  await assertSound(made)
})

test('two rails that number alike, and cancellations at the same moment, on two instances: each payment is one of them', async (t) => {
  const made = await scene(t)
  const second = await made.another()
  const credit = [await ibanOf(made, made.to)]
  const ids = await payElsewhere(made, 'both', 50)
  const programs = [await newRail(made), await newRail(made)]
  const cancelling = many(50, (index) =>
    made.ada.post(`/api/v1/transfers/${ids[(index * 7) % 50]}/cancel`, undefined, {
      headers: { 'idempotency-key': `cancel-${index}` },
    }),
  )
  const counting = Promise.all(
    programs.map(({ token }, index) => {
      const bank = publishedClient(index === 0 ? made.send : second.send, token)
      return runRail(bank, optionsFor(`both ${index}`, { credit, rounds: 2 }))
    }),
  )
  const cancelled = (await cancelling).filter(({ status }) => status === 200).length
  const [one = [], other = []] = await counting
  const taken = [...one, ...other].reduce((all, each) => all + Number(each.taken), 0)
  assert.equal(taken + cancelled, 50)
  const clearing = money.add([...sum(one), ...sum(other)], 'EUR')
  assert.equal(await readClearing(made), clearing)
  const { rows } = await made.sql(
    `select external_id, count(*)::int from external_ids where external_id like '0000__'
     group by 1 order by 1`,
  )
  assert.deepEqual(rows, [
    { external_id: '000001', count: 2 },
    { external_id: '000002', count: 2 },
  ])
  await assertSound(made)
})

test('a bank that has forgotten a delivery is found out', async (t) => {
  const made = await scene(t)
  const program = await newRail(made)
  const bank = publishedClient(made.send, program.token)
  const credit = [await ibanOf(made, made.to)]
  await runRail(bank, optionsFor('forgotten', { credit }))
  await made.sql(`alter table external_ids disable trigger user`)
  await made.sql(`delete from external_ids`)
  await assert.rejects(
    runRail(bank, optionsFor('forgotten')),
    /The bank contradicts itself: 000001/,
  )
})
