import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../database/connections/connect.ts'
import type { Db } from '../database/statements/statement.ts'
import { Refusal, refuse } from '../domain/errors.ts'
import { afterRecording, type Effect, NothingMade, withEffects } from './effects.ts'
import type { Service } from './services.ts'

/** A database, a ledger and effects that log what they do. */
function fixture() {
  const log: string[] = []
  const note = async (text: string) => log.push(text)
  const db = {
    async runTransaction(work, opening) {
      await Promise.all([note('begin'), opening?.({} as never)])
      const result = await work({} as never)
      await note('commit')
      return result
    },
  } as Database
  const ledger = { submit: (order: object) => note(`order ${Object.keys(order).join(' ')}`) }
  const effect = (name: string): Effect => ({
    before: () => note(`${name} before`),
    after: (_, madeId) => note(`${name} after ${madeId}`),
    withMovement: (movement) => ({ ...movement, [name]: true }),
    around: async (change) => {
      await note(`${name} (`)
      try {
        return await change()
      } finally {
        await note(`) ${name}`)
      }
    },
  })
  const caller: Effect = { opening: () => note('caller judged') }
  return { log, note, effect, caller, plain: { db, service: { ledger } as unknown as Service } }
}

const work = async () => ({ id: 'made' })

test('a change is judged, made, used up and recorded in one order, however its effects are given', async () => {
  const { log, note, effect, caller, plain } = fixture()
  const [approval, approved] = [effect('approval'), effect('approved')]
  const [confirmation, request] = [effect('confirmation'), effect('request')]
  const changing = withEffects(plain, { confirmation, request, caller }, false)
  const { db } = withEffects(changing, { approval, approved }, true)
  const made = await db.runTransaction(async () => (await note('work'), work()))
  assert.deepEqual(made, { id: 'made' })
  const inOrder = [
    'begin',
    'caller judged',
    'request before',
    'confirmation before',
    'approved before',
    'approval before',
    'work',
    'approval after made',
    'approved after made',
    'confirmation after undefined',
    'request after undefined',
    'commit',
  ]
  const isInside = (text: string) => !/[()]/.test(text)
  assert.deepEqual(log.filter(isInside), inOrder)
  log.length = 0
  const all = { approval, confirmation, caller, approved, request }
  await withEffects(plain, all, false).db.runTransaction(async () => note('work'))
  const withoutId = inOrder.map((text) => text.replace(' made', ' undefined'))
  assert.deepEqual(log.filter(isInside), withoutId)
  const outside = ['request', 'confirmation', 'approved', 'approval']
  assert.deepEqual(
    log.slice(0, 4),
    outside.map((name) => `${name} (`),
  )
  assert.deepEqual(
    log.slice(-4),
    outside.toReversed().map((name) => `) ${name}`),
  )
})

test('an order for the ledger takes with it what each effect adds, from the inside', async () => {
  const { log, effect, caller, plain } = fixture()
  const outer = { caller, request: effect('request'), confirmation: effect('confirmation') }
  const inner = { approved: effect('approved'), approval: effect('approval') }
  const changing = withEffects(withEffects(plain, outer, true), inner, true)
  await changing.service.ledger.submit({} as never)
  const posted = log.filter((text) => text.startsWith('order'))
  assert.deepEqual(posted, ['order approval approved confirmation request'])
})

test('an effect that refuses leaves out all that would follow it, COMMIT too', async () => {
  const { log, effect, caller, plain } = fixture()
  const confirmation: Effect = {
    after: async () => refuse('confirmation_required'),
    around: (change) => change().catch(() => Promise.reject(new Refusal('forbidden'))),
  }
  const { db } = withEffects(plain, { caller, request: effect('request'), confirmation }, false)
  await assert.rejects(db.runTransaction(work), { code: 'forbidden' })
  const unused = ['request (', 'begin', 'caller judged', 'request before', ') request']
  assert.deepEqual(log, unused)
  log.length = 0
  const judged: Effect = { opening: () => Promise.reject(new Refusal('session_revoked')) }
  const ended = withEffects(plain, { approval: effect('approval'), caller: judged }, false)
  await assert.rejects(ended.db.runTransaction(work), { code: 'session_revoked' })
  assert.deepEqual(log, ['approval (', 'begin', ') approval'])
})

test('the items of one request take the event of the request alone: all else was used up before them', async () => {
  const { log, effect, caller, plain } = fixture()
  const all = {
    caller,
    request: effect('request'),
    confirmation: effect('confirmation'),
    approval: effect('approval'),
  }
  const submit = async (effects: Parameters<typeof withEffects>[1]) => {
    log.length = 0
    const changing = withEffects(plain, effects, true)
    await changing.service.ledger.submit({ isItem: true } as never)
    return log.filter((text) => text.startsWith('order'))
  }
  assert.deepEqual(await submit(all), ['order isItem request'])
  const { request: _, ...others } = all
  assert.deepEqual(await submit(others), ['order isItem approval confirmation'])
})

test('a handler that made nothing commits without an event, and uses up nothing', async () => {
  const { log, effect, caller, plain } = fixture()
  const { db } = withEffects(plain, { caller, request: effect('request') }, true)
  const nothing = new NothingMade('as before')
  assert.equal(await db.runTransaction(async () => nothing), nothing)
  assert.deepEqual(log, [
    'request (',
    'begin',
    'caller judged',
    'request before',
    'commit',
    ') request',
  ])
})

test('what was made is named by its identifier, if it has one that is a text', async () => {
  const { log, effect, plain } = fixture()
  const { db } = withEffects(plain, { request: effect('request') }, true)
  for (const [made, id] of [
    [{ id: 'made' }, 'made'],
    [{ id: 7 }, undefined],
    [{}, undefined],
    [undefined, undefined],
    [null, undefined],
  ] as const) {
    log.length = 0
    await db.runTransaction(async () => made)
    assert.ok(log.includes(`request after ${id}`), `${id}`)
  }
})

test('the event of a change is written once: by its handler, or else behind it', async () => {
  const event = { id: 'e' } as never
  const written = async (isRecorded?: (tx: Db) => boolean) => {
    let count = 0
    const tx = { run: async () => (count++, []) } as unknown as Db
    const { after } = afterRecording(() => event, isRecorded)
    await after?.(tx, undefined)
    return count
  }
  assert.equal(await written(() => true), 0)
  const once = await written(() => false)
  assert.ok(once > 0)
  assert.equal(await written(), once)
  const { withMovement } = afterRecording(() => event)
  const earlier = { events: [{ id: 'd' }] } as never
  assert.deepEqual(withMovement?.(earlier).events, [{ id: 'd' }, event])
  assert.deepEqual(withMovement?.({} as never).events, [event])
})
