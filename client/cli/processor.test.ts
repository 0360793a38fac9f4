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
import { assertSound, type Scene, scene } from '../../test/support/fixture.ts'
import { optionsIn, readClearing } from '../../test/support/other-sides.ts'
import { publishedClient } from '../../test/support/published-client.ts'
import { newProgram, type Program } from '../../test/support/service-accounts.ts'
import { money } from '../src/index.ts'
import { writeLogin } from './login-file.ts'
import { runProcessor } from './processor.ts'

const bin = fileURLToPath(new URL('../../bin/strongroom.js', import.meta.url))
const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-processor-'))
after(() => rm(folder, { recursive: true, force: true }))

const operations = [
  'authorizeCardPayment',
  'captureCardPayment',
  'incrementCardPayment',
  'refundCardPayment',
  'releaseCardPayment',
]
const newProcessor = (made: Scene): Promise<Program> => newProgram(made, { operations })

async function cardOf({ ada }: Scene, account: string): Promise<string> {
  const made = await ada.post(`/api/v1/accounts/${account}/cards`, {})
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

const optionsFor = optionsIn(folder)

test('the command authorises and captures, and the next start counts the same', async (t) => {
  const made = await scene(t)
  const program = await newProcessor(made)
  const at = path.join(folder, 'login')
  const baseUrl = `https://localhost:${made.running.httpsPort}`
  const ca = made.running.certificate.caPath as string
  await writeLogin(at, { baseUrl, ca, key: program.token })
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

class Killed extends Error {}

for (const when of ['before', 'after'] as const) {
  test(`killed ${when} each of its requests and started again, a processor counts what the clearing account holds`, async (t) => {
    const made = await scene(t)
    const { from, clock } = made
    const cards = [await cardOf(made, from), await cardOf(made, from)]
    let expected = 0n
    let steps = 0
    for (let isKilled = true; isKilled;) {
      steps++
      const program = await newProcessor(made)
      const ending = new AbortController()
      const kill = (now: typeof when, step: number): void => {
        if (now === when && step === steps) ending.abort(new Killed())
        if (ending.signal.aborted) throw new Killed()
      }
      const name = `${when} ${steps}`
      const { signal } = ending
      const bank = publishedClient(made.send, program.token, kill)
      isKilled = await runProcessor(bank, optionsFor(name, { cards, signal }), clock).then(
        () => false,
        (thrown) => signal.aborted || Promise.reject(thrown),
      )
      const anew = publishedClient(made.send, program.token)
      await runProcessor(anew, optionsFor(name, { cards }), clock)
      // What is captured late, and what has expired.
      clock.advance(4000)
      const [counted] = await runProcessor(anew, optionsFor(name), clock)
      expected += money.parse(counted?.clearing ?? '0.00', 'EUR')
      assert.equal(await readClearing(made), money.format(expected, 'EUR'), `step ${steps}`)
    }
    assert.ok(steps > 9, `${steps} steps`)
    await assertSound(made)
  })
}

test('a processor that hears nothing of any first attempt has every fate of a payment, and counts what the clearing account holds', async (t) => {
  const made = await scene(t)
  const program = await newProcessor(made)
  const lose = (when: 'before' | 'after', step: number): void => {
    if (when === 'after' && step % 2 === 1) throw new TypeError('fetch failed')
  }
  const card = await cardOf(made, made.from)
  const cards = Array.from({ length: 30 }, () => card)
  const bank = publishedClient(made.send, program.token, lose)
  await runProcessor(bank, optionsFor('unheard', { cards }), made.clock)
  made.clock.advance(4000)
  const [counted] = await runProcessor(bank, optionsFor('unheard'), made.clock)
  assert.ok(Number(counted?.approved) > 10, JSON.stringify(counted))
  assert.equal(await readClearing(made), counted?.clearing)
  const { rows } = await made.sql('select distinct status from holds order by 1')
  assert.deepEqual(
    rows.map(({ status }) => status),
    ['captured', 'expired', 'released'],
  )
  await assertSound(made)
})
