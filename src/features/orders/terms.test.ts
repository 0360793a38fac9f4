// What a change makes of a standing order, and what of it its owner confirms.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '../../database/statements/statement.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Service } from '../../http/services.ts'
import type { OrderRow } from './sql.ts'
import {
  readDay,
  requireDays,
  requireTarget,
  showPayee,
  showTerms,
  withNext,
  withTerms,
} from './terms.ts'

const terms = { amount: '5.00', currency: 'EUR', rhythm: 'monthly', firstOn: '2026-01-31' } as const

test('the owner confirms all that an order pays by, and nothing that is not so', () => {
  for (const [more, shown] of [
    [{}, {}],
    [{ lastOn: null, retryDays: null, onHoliday: 'pay', reference: '' }, {}],
    [{ lastOn: '2026-03-31' }, { lastOn: '2026-03-31' }],
    [{ retryDays: 0 }, { retryDays: '0' }],
    [{ onHoliday: 'before' }, { onHoliday: 'before' }],
    [{ reference: 'Rent' }, { reference: 'Rent' }],
  ] as [object, object][]) {
    assert.deepEqual(showTerms({ ...terms, ...more }), { ...terms, ...shown })
  }
})

const isRefused = (code: string, path?: string) => (thrown: unknown) =>
  thrown instanceof Refusal && thrown.code === code && thrown.options.details?.[0]?.path === path

test('a day is one of the calendar, and the last one is not before the first', () => {
  assert.equal(readDay('2026-02-28', '/x'), '2026-02-28')
  assert.throws(() => readDay('2026-02-30', '/x'), isRefused('invalid_request', '/x'))
  requireDays('2026-01-02', null)
  requireDays('2026-01-02', '2026-01-02')
  const wrong = () => requireDays('2026-01-02', '2026-01-01')
  assert.throws(wrong, isRefused('invalid_request', '/body/lastOn'))
})

const row = {
  accountId: 'own',
  currency: 'EUR',
  amount: 500n,
  reference: 'Rent',
  firstOn: '2026-01-31',
  nextOn: '2026-03-31',
  lastOn: null,
  status: 'active',
  pausedBecause: null,
  beneficiaryId: null,
  toAccountId: 'other',
  retryDays: 2,
  onHoliday: 'pay',
  payeeResult: null,
  payeeAccepted: null,
} as unknown as OrderRow

test('an order without a next day has ended', () => {
  assert.deepEqual(withNext(row, '2026-04-30'), { ...row, nextOn: '2026-04-30' })
  const paused = { ...row, status: 'paused', pausedBecause: 'refused' } as unknown as OrderRow
  assert.deepEqual(withNext(paused, undefined), {
    ...row,
    status: 'ended',
    pausedBecause: null,
    nextOn: null,
  })
})

/** Knows one beneficiary, of an account, and the currency of each payee. */
const dbOf = (accountId: string, currency = 'EUR'): Db =>
  ({
    async run({ gives }: { gives: object }) {
      return Object.hasOwn(gives, 'iban')
        ? [{ id: 'b', accountId, name: 'Ben', iban: 'I' }]
        : [{ currency }]
    },
  }) as unknown as Db
const change = (body: object, of = row) =>
  withTerms(dbOf('own'), of, body, { check: undefined, service: {} as Service })

test('a change leaves what it does not name, and ends an order behind its new last day', async () => {
  for (const [body, changed] of [
    [{}, {}],
    [{ amount: '7.50' }, { amount: 750n }],
    [{ reference: '' }, { reference: '' }],
    [{ retryDays: null }, { retryDays: 0 }],
    [{ retryDays: 5 }, { retryDays: 5 }],
    [{ onHoliday: 'after' }, { onHoliday: 'after' }],
    [{ lastOn: '2026-03-31' }, { lastOn: '2026-03-31' }],
    [{ lastOn: '2026-03-30' }, { lastOn: '2026-03-30', status: 'ended', nextOn: null }],
    [{ lastOn: '2026-01-31' }, { lastOn: '2026-01-31', status: 'ended', nextOn: null }],
    [{ toAccountId: 'third' }, { toAccountId: 'third' }],
  ] as [object, object][]) {
    assert.deepEqual(await change(body), { ...row, ...changed }, JSON.stringify(body))
  }
  const ending = { ...row, lastOn: '2026-04-30' }
  assert.equal((await change({ lastOn: null }, ending)).lastOn, null)
  assert.equal((await change({}, ending)).lastOn, '2026-04-30')
  for (const [body, path] of [
    [{ lastOn: '2026-02-30' }, '/body/lastOn'],
    [{ lastOn: '2026-01-30' }, '/body/lastOn'],
    [{ toAccountId: 'own' }, '/body/toAccountId'],
    [{ toAccountId: 'x', beneficiaryId: 'b' }, '/body/toAccountId'],
  ] as const) {
    await assert.rejects(change(body), isRefused('invalid_request', path))
  }
})

test('an order pays an account or a beneficiary of its own account, in its currency', async () => {
  const own = { accountId: 'own', currency: 'EUR' }
  assert.equal(await requireTarget(dbOf('own'), own, { toAccountId: 'x' }), undefined)
  assert.equal((await requireTarget(dbOf('own'), own, { beneficiaryId: 'b' }))?.name, 'Ben')
  const unknown = { run: async () => [] } as unknown as Db
  for (const [db, code] of [
    [dbOf('other'), 'forbidden'],
    [dbOf('own', 'USD'), 'currency_mismatch'],
    [unknown, 'not_found'],
  ] as const) {
    await assert.rejects(requireTarget(db, own, { beneficiaryId: 'b' }), isRefused(code))
  }
  assert.equal(await requireTarget(unknown, own, { toAccountId: 'gone' }), undefined)
  await assert.rejects(
    requireTarget(dbOf('own'), own, {}),
    isRefused('invalid_request', '/body/toAccountId'),
  )
})

test('the owner confirms the payee by name and IBAN, an own account by its identifier', async () => {
  assert.deepEqual(await showPayee(dbOf('own'), {}), {})
  assert.deepEqual(await showPayee(dbOf('own'), { toAccountId: 'x' }), { toAccountId: 'x' })
  const shown = await showPayee(dbOf('own'), { beneficiaryId: 'b' })
  assert.deepEqual(shown, { payee: 'Ben', iban: 'I' })
  const gone = { run: async () => [] } as unknown as Db
  assert.deepEqual(await showPayee(gone, { beneficiaryId: 'b' }), {})
})
