// Steps on one account and its holds at the same moment, on two instances, while connections to the
// database are cut: there is an order in which the model gives the same answers and the same end.
// A failure prints its seed; FUZZ_SEED=<seed> races the same steps again.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertSound, openAccount } from './support/fixture.ts'
import {
  answerOf,
  type HeldAccount,
  openHeld,
  readModel,
  type Voices,
} from './support/held-account.ts'
import {
  heldOf,
  isPossible,
  leftOf,
  type Model,
  type Observed,
  type Step,
  take,
} from './support/hold-model.ts'
import { createRandom, type Random, seed } from './support/random.ts'
import { clientWith, type World, world } from './support/world.ts'

const minuteMs = 60_000
const roundCount = Number(process.env['HOLD_RUNS'] ?? 25)

/** It holds four of the six that are there, and expires in a minute. */
const first: Step = { do: 'hold', kind: 'authorization', amount: 4, lastsMs: minuteMs }

const racing: readonly Step[] = [
  { do: 'capture', which: 0, amount: 4, isFinal: true },
  { do: 'capture', which: 0, amount: 3, isFinal: false },
  { do: 'capture', which: 0, amount: 1, isFinal: true },
  { do: 'release', which: 0 },
  { do: 'change', which: 0, amount: 6 },
  { do: 'change', which: 0, amount: 2 },
  { do: 'transfer', amount: 2 },
  { do: 'transfer', amount: 6 },
  { do: 'hold', kind: 'seizure', amount: 2, lastsMs: Infinity },
  { do: 'overdraft', amount: 2 },
  { do: 'freeze' },
  { do: 'unfreeze' },
  { do: 'close' },
  { do: 'wait', ms: minuteMs },
]

type Race = { bank: World; random: Random; instances: readonly Voices[]; to: string }

async function open(t: TestContext): Promise<Race> {
  t.diagnostic(`seed ${seed}`)
  const bank = await world(t, { settings: { SESSION_IDLE: '12h', TOKEN_TTL: '12h' } })
  const other = await bank.another()
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const again = { ada: clientWith(other.send, ada.token), root: clientWith(other.send, root.token) }
  return {
    bank,
    random: createRandom(seed),
    instances: [{ ada, root }, again],
    to: await openAccount(ada),
  }
}

/** Whether a repeat has the same effect as one: a key tells what became of the first attempt. */
const hasKey = (step: Step): boolean =>
  !['freeze', 'unfreeze', 'close', 'overdraft'].includes(step.do)

/** Sends it until it is answered for sure. The answer is undefined where none ever tells. */
async function takeSurely(of: HeldAccount, step: Step, voices: Voices): Promise<Observed> {
  const key = String(Math.random())
  let isLost = false
  for (;;) {
    const reply = await of.send(step, voices, key)
    if (reply.status !== 503) return { step, answer: isLost ? undefined : answerOf(reply) }
    if (reply.body.code === 'outcome_unknown' && !hasKey(step)) isLost = true
    await sleep(50)
  }
}

const cut = `select count(pg_terminate_backend(pid)) from pg_stat_activity
  where datname = current_database() and application_name like 'strongroom %.%.%'`

async function race({ bank, random, instances, to }: Race, isCut: boolean): Promise<void> {
  const [voices] = instances as [Voices]
  const of = await openHeld(bank, voices, { to, balance: 6 })
  const begin: Model = {
    now: bank.clock.now(),
    balance: 6,
    overdraft: 0,
    status: 'active',
    holds: [],
  }
  assert.equal(take(begin, first), answerOf(await of.send(first)))
  const steps = Array.from({ length: 3 + random.below(4) }, () => random.pick(racing))
  const cutting = isCut ? sleep(random.below(10)).then(() => bank.sql(cut)) : undefined
  const observed = await Promise.all(
    steps.map(async (step) => {
      await sleep(random.below(8))
      return takeSurely(of, step, random.pick(instances))
    }),
  )
  await cutting
  const found = await readModel(bank, of)
  const isEnd = (model: Model): boolean => isSameEnd(model, found)
  const told = JSON.stringify({ observed, found }, undefined, 1)
  assert.ok(isPossible(begin, observed, isEnd), `no order gives this: ${told}`)
}

/** A hold that nothing has locked since its time was over still stands in the database. */
function isSameEnd(model: Model, found: Model & { held: number }): boolean {
  const shown = found.holds.map((hold) =>
    leftOf(hold) > 0 && hold.expiresAt <= found.now ? 'expired' : hold.status,
  )
  return (
    found.held === heldOf(found) &&
    model.balance === found.balance &&
    model.overdraft === found.overdraft &&
    model.status === found.status &&
    model.holds.length === found.holds.length &&
    model.holds.every(({ status, amount, captured }, index) => {
      const other = found.holds[index]
      return status === shown[index] && amount === other?.amount && captured === other.captured
    })
  )
}

for (const isCut of [false, true]) {
  const where = isCut ? ', while connections to the database are cut' : ''
  test(`steps of one hold at once on two instances are as if one after another${where}`, async (t) => {
    const scene = await open(t)
    for (let round = 0; round < roundCount; round++) {
      await race(scene, isCut)
      await assertSound(scene.bank)
    }
  })
}
