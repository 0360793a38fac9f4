// What becomes of the items of one request when one of them meets a defect.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../domain/errors.ts'
import type { Context } from '../../http/route.ts'
import type { Posted, PostedMovement } from '../../ledger/rules/movement.ts'
import { executeEach } from './many.ts'

const transfer = (id: string) =>
  ({
    id,
    kind: 'fee',
    amount: 1n,
    currency: 'EUR',
    createdAt: new Date(0),
    details: undefined,
  }) as unknown as Posted['transfer']

test('a defect is the outcome of its item alone and is reported once; the others are executed', async () => {
  const reported: Refusal[] = []
  const submitted: string[] = []
  const context = {
    db: { runTransaction: async (work: (tx: unknown) => unknown) => work({}) },
    service: {
      ledger: {
        async submit({ reference }: PostedMovement) {
          submitted.push(reference)
          if (reference.startsWith('defect')) throw new TypeError('a defect')
          return { transfer: transfer(reference), isReplayed: false }
        },
      },
    },
    report: (failure: Refusal) => reported.push(failure),
  } as unknown as Context
  const names = Array.from({ length: 450 }, (_, at) => (at % 100 === 7 ? `defect ${at}` : `${at}`))
  const movements = names.map((reference) => ({ reference }) as PostedMovement)
  const outcomes = await executeEach(
    context,
    [...movements, new Refusal('not_found')],
    (row) => row,
  )
  assert.deepEqual(submitted, names)
  assert.deepEqual(
    outcomes.map((each) => ('error' in each ? each.error.code : each.transfer.id)),
    [...names.map((name) => (name.startsWith('defect') ? 'internal_error' : name)), 'not_found'],
  )
  assert.deepEqual(
    reported.map(({ code, cause }) => [code, cause instanceof TypeError]),
    [
      ['internal_error', true],
      ['not_found', false],
    ],
  )
})
