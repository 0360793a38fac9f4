// A movement of money as its form shows it, without a browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTurn, ok, openPage, quiet, refused, until } from './calls-support.ts'
import type { Answer } from './tabs-support.ts'

type Payment = {
  movement: { key: string; state: string; body: object } | undefined
  state: string
  failure: { code: string } | undefined
  isBusy: boolean
  isOpen: boolean
  isTooLate: boolean
  isRefused: boolean
  open(path: string, body: object): void
  close(): void
  confirm(more?: object): void
}
type Forms = {
  usePayment(name: string, onMade: (result: unknown, wasLost: boolean) => void): Payment
  shownForms: { value: readonly string[] }
}
const open = openPage<Forms>

test('a form shows its movement from the review to the outcome, and forgets it when it is left', async () => {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const { tab, sent, clock } = await open(inTurn(promise, ok({ id: 'made' })))
  const told: unknown[] = []
  const show = () =>
    tab.mount(() => tab.usePayment('transfer.review', (...made) => void told.push(made)))
  const form = show()
  const { now } = form
  await quiet()
  assert.deepEqual(tab.shownForms.value, ['transfer.review'])
  assert.deepEqual([now().movement, now().state, now().isOpen], [undefined, 'idle', false])
  now().confirm()
  now().close()
  // The shell draws the page again when a cell changes.
  const draw = () => form.draw()
  now().open('/transfers', { amount: '1' })
  draw()
  assert.deepEqual([now().movement?.state, now().state], ['review', 'idle'])
  now().close()
  draw()
  assert.equal(now().movement, undefined)
  now().open('/transfers', { amount: '1' })
  draw()
  now().confirm({ acceptPayee: true })
  await until('the request', () => sent().length > 0)
  draw()
  assert.deepEqual(sent()[0]?.body, { amount: '1', acceptPayee: true })
  const { state, isBusy, isOpen, isTooLate, isRefused } = now()
  assert.deepEqual(
    [state, isBusy, isOpen, isTooLate, isRefused],
    ['sending', true, true, false, false],
  )
  clock.now += 24 * 3_600_000
  draw()
  assert.equal(now().isTooLate, true)
  clock.now -= 24 * 3_600_000
  resolve('lost')
  await quiet()
  draw()
  await quiet()
  assert.deepEqual([now().state, told], ['done', [[{ id: 'made' }, true]]])
  form.leave()
  await quiet()
  assert.deepEqual([tab.shownForms.value, tab.movements.value], [[], []])
})

test('a form tells a refusal, an open outcome and a request that waits for a second person', async () => {
  for (const [answers, state, isRefused, isOpen, left, visits] of [
    [[refused(409, 'insufficient_funds')], 'refused', true, false, 0, []],
    [[refused(403, 'forbidden')], 'refused', false, false, 1, []],
    [['lost'], 'checking', false, true, 1, []],
    [['lost', refused(422, 'idempotency_key_reused')], 'unknown', false, true, 1, []],
    [
      [{ status: 202, body: {}, location: '/api/v1/admin/approvals/7' }],
      'refused',
      true,
      false,
      0,
      ['/portal/staff/approvals?request=7'],
    ],
  ] as [Answer[], string, boolean, boolean, number, string[]][]) {
    const { tab, sent } = await open(inTurn(...answers))
    const form = tab.mount(() => tab.usePayment('transfer.review', () => assert.fail('made')))
    form.now().open('/transfers', {})
    form.draw()
    form.now().confirm()
    await until('the answers', () => sent().length >= answers.length)
    await quiet()
    form.draw()
    await quiet()
    const found = form.now()
    assert.deepEqual([found.state, found.isRefused, found.isOpen], [state, isRefused, isOpen])
    assert.equal(found.isBusy, state === 'checking')
    assert.deepEqual(tab.visits, visits)
    form.leave()
    await quiet()
    assert.equal(tab.movements.value.length, left, state)
  }
})

test('what a form has open goes on when it is shown', async () => {
  const { tab, sent, openTab } = await open(() => 'hang')
  tab.openReview('transfer.review', '/transfers', {})
  tab.sendMovement(tab.findMovement('transfer.review') ?? assert.fail())
  await until('the request', () => sent().length > 0)
  tab.close()
  const next = await openTab()
  const count = () => sent().filter(({ path }) => path === '/transfers').length
  assert.equal(count(), 1)
  next.mount(() => next.usePayment('transfer.review', () => {}))
  await until('the repeat', () => count() === 2)
})
