// Who sets, lifts and sees a block, and what of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approve, approvalAt, pairOf } from '../../../test/support/approvals.ts'
import { block, blocksOf, lift, newBlock } from '../../../test/support/blocks.ts'
import { assertSound, openAccount, scene, transferBody } from '../../../test/support/fixture.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { people, type Reply, world } from '../../../test/support/world.ts'

const outcome = ({ status, body }: Reply): string =>
  status < 300 ? `${status}` : `${status} ${body.code}`
const note = 'Order 12 C 345/26'

test('the owner sees which side is blocked, support the class of the cause, administrators all', async (t) => {
  const bank = await scene(t)
  const { ada, root, from, clock } = bank
  const agnes = await bank.as('agnes')
  const until = '2026-06-01T00:00:00.000Z'
  const id = await block(root, from, 'debits', { until, cause: 'money_laundering', note })
  const setAt = new Date(clock.now()).toISOString()
  const common = { id, accountId: from, debits: true, credits: false, status: 'active' }
  const known = { ...common, causeClass: 'authority', until, setAt, liftedAt: null }
  const read = async (by: typeof ada) => (await by.get(blocksOf(from))).body.items
  const name = `${people.root.givenName} ${people.root.familyName}`
  const setBy = { id: people.root.id, name }
  const all = { ...known, cause: 'money_laundering', note, setBy, liftedBy: null }
  assert.deepEqual(await read(root), [all])
  assert.deepEqual(await read(agnes), [known])
  for (const path of ['', '/details']) {
    const { text, body } = await ada.get(`/api/v1/accounts/${from}${path}`)
    assert.deepEqual(body.blocked, { debits: true, credits: false })
    assert.doesNotMatch(text, /launder|authority|Order 12|Root/)
  }
  assert.equal(outcome(await ada.get(blocksOf(from))), '403 forbidden')
  assert.equal(outcome(await ada.post(blocksOf(from), newBlock('debits'))), '403 forbidden')
  for (const sent of [
    agnes.post(blocksOf(from), newBlock('debits')),
    agnes.delete(`${blocksOf(from)}/${id}`),
  ]) {
    assert.equal(outcome(await sent), '403 forbidden')
  }
  clock.advance(1000)
  await lift(root, from, id)
  const liftedAt = new Date(clock.now()).toISOString()
  assert.deepEqual(await read(root), [{ ...all, status: 'lifted', liftedAt, liftedBy: setBy }])
  assert.deepEqual(await read(agnes), [{ ...known, status: 'lifted', liftedAt }])
  const { rows } = await bank.sql(
    `select action, target, detail from audit_events
     where action in ('blockAccount', 'unblockAccount') and outcome = 'success' order by id`,
  )
  const detail = `block ${id}: debits for money_laundering until ${until}`
  assert.deepEqual(rows, [
    { action: 'blockAccount', target: from, detail },
    { action: 'unblockAccount', target: id, detail },
  ])
  const { body } = await root.get('/api/v1/events?types=account.blocked,account.unblocked')
  assert.deepEqual(
    body.items.map(({ type, resourceId }: Reply['body']) => [type, resourceId]),
    [
      ['account.blocked', from],
      ['account.unblocked', from],
    ],
  )
  await assertSound(bank)
})

test('nobody blocks, unblocks or reads about an account of their own', async (t) => {
  const bank = await scene(t)
  const { root } = bank
  await bank.sql(`update users set roles = '{customer,admin}' where id = $1`, [people.ben.id])
  const ben = await bank.as('ben')
  const own = await openAccount(ben)
  const id = await block(root, own, 'debits')
  assert.equal(outcome(await ben.get(blocksOf(own))), '403 forbidden')
  assert.equal(outcome(await ben.post(blocksOf(own), newBlock('credits'))), '403 forbidden')
  assert.equal(outcome(await ben.delete(`${blocksOf(own)}/${id}`)), '403 forbidden')
  assert.deepEqual((await ben.get(`/api/v1/accounts/${own}`)).body.blocked, {
    debits: true,
    credits: false,
  })
})

test('a program sees and lifts what it has set, and nothing else, also with an approval', async (t) => {
  const bank = await scene(t)
  const { root, from, to } = bank
  const operations = ['blockAccount', 'unblockAccount', 'listAccountBlocks']
  const [program, other] = [
    await newProgram(bank, { operations }),
    await newProgram(bank, { operations }),
  ]
  const ofRoot = await block(root, from, 'debits')
  const set = await program.post(blocksOf(from), newBlock('credits', { externalId: 'case-1' }))
  assert.equal(set.status, 201, set.text)
  const { id } = set.body
  assert.deepEqual(set.body.setBy, { id: program.id, name: 'Program' })
  assert.deepEqual(
    (await program.get(blocksOf(from))).body.items.map((each: Reply['body']) => each.id),
    [id],
  )
  assert.deepEqual((await other.get(blocksOf(from))).body.items, [])
  assert.equal(outcome(await program.delete(`${blocksOf(from)}/${ofRoot}`)), '403 forbidden')
  assert.equal(outcome(await other.delete(`${blocksOf(from)}/${id}`)), '403 forbidden')
  assert.equal(outcome(await program.delete(`${blocksOf(to)}/${id}`)), '404 not_found')
  assert.equal(outcome(await program.delete(`${blocksOf(from)}/${id}`)), '200')
  assert.equal(outcome(await program.delete(`${blocksOf(from)}/${id}`)), '409 illegal_transition')
  const granted = await newProgram(bank, { operations: ['blockAccount'] })
  assert.equal(outcome(await granted.delete(`${blocksOf(from)}/${ofRoot}`)), '403 forbidden')

  const held = await bank.another({ settings: { FOUR_EYES: 'unblockAccount' } })
  const { checker } = await pairOf(bank, held.send)
  const at = approvalAt(await program.on(held.send).delete(`${blocksOf(from)}/${ofRoot}`))
  assert.equal(outcome(await approve(checker, at)), '403 forbidden')
  const { items } = (await root.get(blocksOf(from))).body
  const standing = items.find((each: Reply['body']) => each.id === ofRoot)
  assert.equal(standing.status, 'active')
  await assertSound(bank)
})

test('a number stands for one block: the same request again is answered as it was first', async (t) => {
  const bank = await scene(t)
  const { root, from, to, clock } = bank
  const until = new Date(clock.now() + 60_000).toISOString()
  const asked = newBlock('debits', { until, externalId: 'case-7' })
  const first = await root.post(blocksOf(from), asked)
  await lift(root, from, first.body.id)
  clock.advance(120_000)
  const again = await root.post(blocksOf(from), { ...asked, until: until.replace('Z', '+00:00') })
  assert.deepEqual(
    [again.status, again.headers['idempotency-replayed'], again.text],
    [201, 'true', first.text],
  )
  for (const [account, more] of [
    [from, { note: 'Another' }],
    [from, { until: new Date(clock.now() + 60_000).toISOString() }],
    [from, { cause: 'fraud' }],
    [to, {}],
  ] as const) {
    const reply = await root.post(blocksOf(account), { ...asked, ...more })
    assert.equal(outcome(reply), '422 idempotency_key_reused')
  }
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      root.post(
        blocksOf(index % 2 ? from : to),
        newBlock('debits', { externalId: index % 2 ? 'two' : 'three' }),
      ),
    ),
  )
  assert.deepEqual(new Set(replies.map(outcome)), new Set(['201']))
  assert.equal(new Set(replies.map(({ body }) => body.id)).size, 2)
  const both = await Promise.all(
    [from, to].map((account) =>
      root.post(blocksOf(account), newBlock('debits', { externalId: 'four' })),
    ),
  )
  assert.deepEqual(both.map(outcome).toSorted(), ['201', '422 idempotency_key_reused'])
  const { rows } = await bank.sql('select count(*)::int as count from account_blocks')
  assert.deepEqual(rows, [{ count: 4 }])
  await assertSound(bank)
})

test('with four eyes a block is set and lifted by two, and the books prove it', async (t) => {
  const bank = await world(t, { settings: { FOUR_EYES: 'blockAccount,unblockAccount' } })
  const { maker, checker } = await pairOf(bank)
  const ada = await bank.as('ada')
  const [from, to] = [await openAccount(ada), await openAccount(ada)]
  const pay = async () =>
    outcome(await ada.post('/api/v1/transfers', transferBody(from, to, '1.00')))
  const set = approvalAt(await maker.post(blocksOf(from), newBlock('debits')))
  assert.equal(await pay(), '409 insufficient_funds')
  assert.equal((await approve(checker, set)).status, 200)
  assert.equal(await pay(), '409 debits_blocked')
  const [{ id, setBy }] = (await checker.get(blocksOf(from))).body.items
  assert.equal(setBy.id, people.root.id)
  const lifted = approvalAt(await maker.delete(`${blocksOf(from)}/${id}`))
  assert.equal(await pay(), '409 debits_blocked')
  assert.equal((await approve(checker, lifted)).status, 200)
  assert.equal(await pay(), '409 insufficient_funds')
  await assertSound(bank)
})

test('a block that stops nothing, an unknown cause and too many blocks are refused', async (t) => {
  const bank = await scene(t)
  const { root, from, to } = bank
  const send = async (body: object) => outcome(await root.post(blocksOf(from), body))
  const neither = { ...newBlock('debits'), debits: false }
  assert.equal(await send(neither), '400 invalid_request')
  assert.equal(await send(newBlock('debits', { cause: 'mood' })), '400 invalid_request')
  assert.equal(await send(newBlock('debits', { note: '' })), '400 invalid_request')
  assert.equal(
    await send(newBlock('debits', { until: '2026-02-30T00:00:00Z' })),
    '400 invalid_request',
  )
  assert.equal(await send(newBlock('debits', { until: '9999-12-31T23:59:59.999Z' })), '201')
  await bank.sql(
    `insert into account_blocks (id, account_id, debits, credits, cause, note, set_at, set_by)
     select gen_random_uuid(), $1, true, false, 'fraud', 'Many', now(), $2
     from generate_series(1, 99)`,
    [to, people.root.id],
  )
  const other = async () => outcome(await root.post(blocksOf(to), newBlock('debits')))
  assert.deepEqual([await other(), await other()], ['201', '409 limit_exceeded'])
})
