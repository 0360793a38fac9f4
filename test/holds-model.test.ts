// Random steps on accounts with holds, each answered and ended as a small model says. A
// failure prints its seed and the shortest steps that fail; FUZZ_SEED=<seed> takes the same again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc, seed } from './support/random.ts'
import { assertSound, openAccount } from './support/fixture.ts'
import {
  answerOf,
  openHeld,
  readModel,
  type HeldAccount,
  type Voices,
} from './support/held-account.ts'
import { heldOf, leftOf, type Model, type Step, take } from './support/hold-model.ts'
import { clientWith, world, type World } from './support/world.ts'

const runCount = Number(process.env['HOLD_RUNS'] ?? 15)
const stepsMax = 40
const minuteMs = 60_000

/** A step that names a hold takes the one that is so many places from the last. */
type Drawn = { step: Step; back: number }

const upTo = (max: number) => fc.integer({ min: 1, max })
const lastsMs = fc.constantFrom(minuteMs, 10 * minuteMs)
const what = <Do extends Step['do']>(...names: Do[]) => fc.constantFrom(...names)
const which = fc.constant(0)
const authorization = fc.record({
  do: what('hold'),
  kind: fc.constant('authorization' as const),
  amount: upTo(5),
  lastsMs,
})
const seizure = fc.record({
  do: what('hold'),
  kind: fc.constant('seizure' as const),
  amount: upTo(5),
  lastsMs: fc.constant(Infinity),
})
const capture = fc.record({ do: what('capture'), which, amount: upTo(3), isFinal: fc.boolean() })
/** One that stands more than once is drawn as often. */
const drawn: readonly fc.Arbitrary<Step>[] = [
  authorization,
  authorization,
  seizure,
  capture,
  capture,
  capture,
  fc.record({ do: what('release'), which }),
  fc.record({ do: what('change'), which, amount: upTo(6) }),
  fc.record({ do: what('extend'), which, lastsMs }),
  fc.record({ do: what('transfer'), amount: upTo(4) }),
  fc.record({ do: what('deposit'), amount: upTo(4) }),
  fc.record({ do: what('overdraft'), amount: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ do: what('freeze', 'unfreeze', 'unfreeze', 'close') }),
  fc.record({ do: what('wait'), ms: fc.constantFrom(1, minuteMs - 1, minuteMs, 10 * minuteMs) }),
]

type Real = { bank: World; of: HeldAccount; voices: () => Voices }

class Take implements fc.AsyncCommand<Model, Real> {
  readonly drawn: Drawn
  constructor(made: Drawn) {
    this.drawn = made
  }

  check({ holds }: Readonly<Model>): boolean {
    return !('which' in this.drawn.step) || holds.length > 0
  }

  async run(model: Model, { bank, of, voices }: Real): Promise<void> {
    const { step, back } = this.drawn
    const last = model.holds.length - 1
    const taken = 'which' in step ? { ...step, which: Math.max(0, last - back) } : step
    model.now = bank.clock.now()
    const before = structuredClone(model)
    const expected = take(model, taken)
    const reply = await of.send(taken, voices())
    assert.equal(
      answerOf(reply),
      expected,
      `${this.toString()} of ${JSON.stringify(before)}: ${reply.text}`,
    )
    await compare(model, { bank, of, voices })
  }

  toString = (): string => JSON.stringify(this.drawn)
}

/** Also what the owner is shown. A hold whose time is over stands until something locks it. */
async function compare(model: Model, { bank, of, voices }: Real): Promise<void> {
  const found = await readModel(bank, of)
  const due = found.holds.filter((hold) => leftOf(hold) > 0 && hold.expiresAt <= found.now)
  const { held, ...rest } = found
  assert.equal(held, heldOf(found))
  for (const hold of due) hold.status = 'expired'
  assert.deepEqual(rest, { ...model, now: found.now })
  if (model.status === 'closed') return
  const { body } = await voices().ada.get(`/api/v1/accounts/${of.id}`)
  const shown = Number(body.held)
  assert.ok([held, heldOf(model)].includes(shown), `shown as held: ${shown}`)
  const free = model.status === 'active' ? model.balance + model.overdraft - shown : 0
  assert.deepEqual([body.balance, body.available].map(Number), [model.balance, free])
}

test('whatever is done with an account and its holds is answered and ended as the model says', async (t) => {
  t.diagnostic(`seed ${seed}`)
  const bank = await world(t, { settings: { SESSION_IDLE: '12h', TOKEN_TTL: '12h' } })
  const other = await bank.another()
  const to = await openAccount(await bank.as('ada'))
  const back = fc.integer({ min: 0, max: 2 })
  const steps = drawn.map((step) => fc.record({ step, back }).map((made) => new Take(made)))
  const property = fc.asyncProperty(
    fc.commands(steps, { maxCommands: stepsMax, size: 'max' }),
    async (taken) => {
      // The clock of a run moves by hours.
      const [ada, root] = [await bank.login('ada'), await bank.login('root')]
      const instances = [
        { ada, root },
        { ada: clientWith(other.send, ada.token), root: clientWith(other.send, root.token) },
      ] as const
      let turn = 0
      const voices = () => instances[turn++ % 2] as Voices
      const of = await openHeld(bank, { ada, root }, { to, balance: 3 })
      const model: Model = {
        now: bank.clock.now(),
        balance: 3,
        overdraft: 0,
        status: 'active',
        holds: [],
      }
      await fc.asyncModelRun(() => ({ model, real: { bank, of, voices } }), taken)
      await assertSound(bank)
    },
  )
  await fc.assert(property, { numRuns: runCount, endOnFailure: false })
})
