// The interface only grows: against each release that went out, nothing is lost that a client uses.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { isAtLeast } from '../src/domain/release.ts'
import { loadInterface, storedReleases } from './cluster/releases/files.ts'
import { findLost, type Interface } from './support/growth.ts'

const text = await readFile(new URL('../docs/openapi.json', import.meta.url), 'utf8')
const present = (): Interface => JSON.parse(text) as Interface

/** What the reference of a release named in error: the service has ignored it from the first. */
const namedInError: Record<string, readonly string[]> = {
  '0.2.0': [
    'POST /api/v1/admin/approvals/{approvalId}/approve: header Idempotency-Key',
    'POST /api/v1/admin/approvals/{approvalId}/approve 200: the header Idempotency-Replayed',
  ],
}

/**
 * What references up to 0.3.0 said of the same inputs and answers in a way that fewer clients read:
 * a pattern that Java and Ruby do not compile, and a choice of two answers, now one object.
 */
const saidOtherwise = [
  'POST /api/v1/admin/webhooks body.url: another pattern',
  'PATCH /api/v1/admin/webhooks/{webhookId} body.url: another pattern',
  'POST /api/v1/admin/webhooks/{webhookId}/test 202: choice 0',
  'POST /api/v1/admin/webhooks/{webhookId}/test 202: choice 1',
  'POST /api/v1/admin/webhooks/{webhookId}/deliveries/{deliveryId}/resend 202: choice 0',
  'POST /api/v1/admin/webhooks/{webhookId}/deliveries/{deliveryId}/resend 202: choice 1',
]

for (const release of await storedReleases()) {
  test(`every operation, field of an answer and accepted input of ${release} is there`, async () => {
    const before = (await loadInterface(release)) as Interface
    assert.ok(Object.keys(before.paths).length > 60)
    const isOld = !isAtLeast(release, '0.4.0')
    const known = [...(namedInError[release] ?? []), ...(isOld ? saidOtherwise : [])]
    assert.deepEqual(findLost(before, present()), known)
  })
}

type Loose = Record<string, any> // oxlint-disable-line no-explicit-any

const losses: Record<string, [change: (now: Loose) => void, found: RegExp]> = {
  'an operation': [
    (now) => delete now['paths']['/api/v1/transfers'].post,
    /^POST \/api\/v1\/transfers$/,
  ],
  'a field of an answer': [
    (now) => delete now['components'].schemas.Account.properties.iban,
    / 200.*\.iban$/,
  ],
  'a field that was always there': [
    ({ components: { schemas } }) =>
      (schemas.Account.required = schemas.Account.required.filter(
        (name: string) => name !== 'balance',
      )),
    /\.balance may be absent$/,
  ],
  'the type of a field': [
    (now) => (now['components'].schemas.Account.properties.balance = { type: 'integer' }),
    /\.balance: its type$/,
  ],
  'an accepted field': [
    (now) => delete now['components'].schemas.CreateTransferBody.properties.reference,
    /^POST \/api\/v1\/transfers body\.reference$/,
  ],
  'a request without a field': [
    (now) => now['components'].schemas.CreateTransferBody.required.push('reference'),
    /^POST \/api\/v1\/transfers body: reference is required$/,
  ],
  'a long text': [(now) => (now['components'].schemas.Text.maxLength = 1), /: a lower maxLength$/],
  'a request without a parameter': [
    (now) => (now['paths']['/api/v1/transfers'].post.parameters[0].required = true),
    /: header Idempotency-Key is required$/,
  ],
  'a parameter': [
    (now) => (now['paths']['/api/v1/accounts'].get.parameters = []),
    /^GET \/api\/v1\/accounts: query \w+$/,
  ],
  'a header': [
    (now) => delete now['paths']['/api/v1/transfers'].post.responses['201'].headers.Location,
    /^POST \/api\/v1\/transfers 201: the header Location$/,
  ],
}

for (const [what, [change, found]] of Object.entries(losses)) {
  test(`the loss of ${what} is found`, () => {
    const now = present()
    change(now)
    const lost = findLost(present(), now)
    assert.ok(
      lost.some((each) => found.test(each)),
      lost.join('\n'),
    )
  })
}

test('an interface has lost nothing against itself, and nothing by what is new', () => {
  const now = present() as Loose
  now['paths']['/api/v1/new'] = { get: { operationId: 'readNew', responses: {} } }
  now['components'].schemas.Account.properties.more = { type: 'string' }
  now['components'].schemas.CreateTransferBody.properties.more = { type: 'string' }
  assert.deepEqual(findLost(present(), now as Interface), [])
})
