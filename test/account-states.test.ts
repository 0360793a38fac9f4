// What it means that an account is the bank's, or is closed, at every route that names one; what
// keeps an account open; and where money lies that an account cannot take.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../src/features/routes.ts'
import { maxBalance } from '../src/ledger/rules/holds.ts'
import { formatAmount } from '../src/domain/money.ts'
import { bankAccount } from '../src/ledger/rules/internal-accounts.ts'
import { findIdentifiers } from '../src/http/route-check.ts'
import type { Route } from '../src/http/route.ts'
import { block, blocksOf } from './support/blocks.ts'
import { approved, newProcessor, toTill } from './support/card-payments.ts'
import { prepareParts } from './support/changes.ts'
import type { Reply } from './support/client.ts'
import { assertSound, deposit, openAccount } from './support/fixture.ts'
import { orderScene } from './support/orders.ts'
import { readBelongings, type RequestParts, toPath } from './support/requests.ts'
import { people, world } from './support/world.ts'

type Body = Record<string, unknown>

/** For staff a closed account is gone but for its history; any other operation answers 404. */
const staffOnClosed: Record<string, string> = {
  inspectAccount: '200',
  listTransfers: '200',
  listAccountTransactions: '200',
  listFormerEntries: '200',
  listAccountNotes: '200',
  createAccountNote: '201',
  listAccountBlocks: '200',
  blockAccount: '409 account_closed',
  getStatement: '200',
  getBalanceAt: '200',
  getBalances: '200',
  freezeAccount: '409 account_closed',
  unfreezeAccount: '409 account_closed',
  createDeposit: '409 account_closed',
  createWithdrawal: '409 account_closed',
  createPosting: '409 account_closed',
}

/** The request also names what is of another account, which the gate judges before. */
const namesMore = [
  'getAccountBeneficiary',
  'getTransaction',
  'noteTransaction',
  'createTransfer',
  'createOrder',
  'createDraft',
  'updateMember',
  'endMember',
]

/** The request with that account in place of its own one. */
function withAccount(
  { operation }: Route,
  parts: RequestParts,
  { part, keys }: ReturnType<typeof findIdentifiers>[number],
  id: string,
): RequestParts {
  const [key] = keys as [string]
  const changed = { ...(parts[part] as Body), [key]: id }
  if (operation === 'createPosting') {
    const { fromAccountId: _, toAccountId: __, fromCode: ___, toCode: ____, ...terms } = changed
    const side = key === 'toAccountId' ? 'fromCode' : 'toCode'
    return { ...parts, body: { ...terms, [key]: id, [side]: 'fees' } }
  }
  return { ...parts, [part]: changed }
}

const toText = ({ status, body }: Reply): string =>
  status < 400 ? `${status}` : `${status} ${body.code}`

test('an account of the bank is none of a customer, and a closed one is gone, at every route that names an account', async (t) => {
  const bank = await world(t)
  const own = await readBelongings(bank, 'ada')
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const closed = (await ada.post('/api/v1/accounts', { currency: 'EUR' })).body.id as string
  assert.equal((await ada.delete(`/api/v1/accounts/${closed}`)).status, 204)
  const wrong: Record<'bank' | 'closed', string[]> = { bank: [], closed: [] }
  let count = 0
  for (const route of routes) {
    const { access, operation } = route
    const named = findIdentifiers(route).filter(({ resource }) => resource === 'account')
    for (const identifier of access === 'public' ? [] : named) {
      for (const [name, voice, grant] of [
        ['ada', ada, access !== 'public' && access.customer],
        ['root', root, access !== 'public' && access.admin],
      ] as const) {
        if (!grant) continue
        const caller = { id: people[name].id, sessionId: voice.sessionId }
        const parts = await prepareParts(bank, route, own, { voice, caller })
        const send = async (id: string) => {
          const sent = withAccount(route, parts, identifier, id)
          const path = toPath(route, sent)
          const body = sent.body && { body: sent.body }
          return toText(await bank.send(route.method, path, { token: voice.token, ...body }))
        }
        const isStaff = name === 'root'
        const what = `${operation} ${identifier.keys.join('.')} ${name}`
        const ofBank = await send(bankAccount('cash', 'EUR'))
        if (ofBank !== (isStaff ? '404 not_found' : '403 forbidden')) {
          wrong.bank.push(`${what}: ${ofBank}`)
        }
        const ofClosed = await send(closed)
        const isForeign =
          !isStaff && namesMore.includes(operation) && !identifier.keys.includes('toAccountId')
        const expected = isForeign
          ? '403 forbidden'
          : (isStaff && staffOnClosed[operation]) || '404 not_found'
        if (ofClosed !== expected) wrong.closed.push(`${what}: ${ofClosed}`)
        count++
      }
    }
  }
  assert.deepEqual(wrong, { bank: [], closed: [] })
  assert.ok(count > 50, `${count}`)
})

type Step = () => Promise<Reply> | void
/** What keeps it open, with the refusal; and what ends that. */
type Obstacle = { keep: () => Promise<unknown>; code?: string; end?: Step }

test('an account is closed when nothing is in it, held of it or on its way from it', async (t) => {
  const bank = await world(t)
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const processor = await newProcessor(bank)
  const eur = (amount: string) => ({ amount, currency: 'EUR' })
  const idOf = async (sent: Promise<Reply>): Promise<string> => {
    const { status, body, text } = await sent
    assert.ok(status < 300, text)
    return (body.id ?? '') as string
  }
  const path = '/api/v1/admin/transfers'
  async function obstacles(account: string): Promise<Record<string, Obstacle>> {
    const own = `/api/v1/accounts/${account}`
    const payee = await idOf(
      ada.post(`${own}/beneficiaries`, { name: 'Otto', iban: 'DE89370400440532013000' }),
    )
    const card = await idOf(ada.post(`${own}/cards`, {}))
    const till = toTill(processor, card)
    const overdraft = () => idOf(root.patch(`${own}/settings`, { overdraftLimit: '5.00' }))
    const payOut = async () => {
      await deposit(root, account, '1.00')
      return idOf(
        ada.post('/api/v1/transfers', {
          fromAccountId: account,
          beneficiaryId: payee,
          ...eur('1.00'),
        }),
      )
    }
    let id = ''
    return {
      nothing: { keep: async () => {} },
      'a balance': {
        keep: () => deposit(root, account, '0.01'),
        code: 'account_not_empty',
        end: () =>
          root.post(`/api/v1/admin/accounts/${account}/withdrawals`, {
            ...eur('0.01'),
            reason: 'Out',
          }),
      },
      'a payment that waits': {
        keep: async () => (id = await payOut()),
        code: 'account_not_empty',
        end: () => root.post(`${path}/${id}/settle`),
      },
      'a payment that was sent': {
        keep: async () => {
          id = await payOut()
          await idOf(root.post(`${path}/${id}/send`, { externalId: id }))
        },
        code: 'account_not_empty',
        end: () => root.post(`${path}/${id}/settle`),
      },
      'a hold of its overdraft, to its last millisecond': {
        async keep() {
          await overdraft()
          const expiresAt = new Date(bank.clock.now() + 60_000).toISOString()
          await idOf(
            root.post(`${own}/holds`, {
              ...eur('5.00'),
              kind: 'dispute',
              reference: 'Hotel',
              expiresAt,
            }),
          )
          bank.clock.advance(59_999)
        },
        code: 'account_not_empty',
        end: () => bank.clock.advance(1),
      },
      'a card payment that is held of its overdraft': {
        async keep() {
          await overdraft()
          id = await approved(till.ask('5.00'))
        },
        code: 'account_not_empty',
        end: () => till.release(id),
      },
      'a freeze': {
        keep: () =>
          idOf(root.post(`/api/v1/admin/accounts/${account}/freeze`, { reason: 'Asked' })),
        code: 'account_frozen',
        end: () => root.post(`/api/v1/admin/accounts/${account}/unfreeze`, { reason: 'Asked' }),
      },
      'a block of what leaves': {
        keep: async () => (id = await block(root, account, 'debits')),
        code: 'debits_blocked',
        end: () => root.delete(`${blocksOf(account)}/${id}`),
      },
      'a block of what arrives, to its last millisecond': {
        async keep() {
          const until = new Date(bank.clock.now() + 60_000).toISOString()
          await block(root, account, 'credits', { until })
          bank.clock.advance(59_999)
        },
        code: 'credits_blocked',
        end: () => bank.clock.advance(1),
      },
    }
  }
  const names = Object.keys(await obstacles(await openAccount(ada)))
  for (const name of names) {
    const account = await openAccount(ada)
    const { keep, code, end } = (await obstacles(account))[name] as Obstacle
    await keep()
    const close = () => ada.delete(`/api/v1/accounts/${account}`)
    if (code !== undefined) assert.equal((await close()).body.code, code, name)
    const ended = await end?.()
    assert.ok((ended?.status ?? 200) < 300, `${name}: ${ended?.text}`)
    assert.equal((await close()).status, 204, name)
  }
  await assertSound(bank)
})

test('money for an account that is full lies in suspense where the rail asks for that', async (t) => {
  const bank = await world(t)
  const [ada, root] = [await bank.as('ada'), await bank.as('root')]
  const account = await openAccount(ada)
  const { iban } = (await ada.get(`/api/v1/accounts/${account}`)).body
  const most = 99_999_999_999_999_999n
  const amounts = Array.from({ length: 91 }, (_, index) =>
    index < 90 ? most : maxBalance - 90n * most,
  )
  const items = amounts.map((amount, index) => ({
    fromCode: 'opening',
    toAccountId: account,
    amount: formatAmount(amount, 'EUR'),
    currency: 'EUR',
    kind: 'correction',
    reason: 'Much',
    externalId: `${index}`,
  }))
  const filled = await root.post('/api/v1/admin/postings/batch', { items })
  assert.equal(filled.body.results.at(-1).transfer?.status, 'completed', filled.text)
  const send = (more: object) =>
    root.post('/api/v1/admin/incoming-payments', {
      iban,
      amount: '0.01',
      currency: 'EUR',
      debtor: { name: 'Okafor household' },
      ...more,
    })
  const refused = await send({ externalId: 'one' })
  assert.equal(toText(refused), '409 limit_exceeded')
  const taken = await send({ externalId: 'two', onRefusal: 'suspense' })
  assert.deepEqual([taken.status, taken.body.toAccountId], [201, bankAccount('suspense', 'EUR')])
})

test('no order pays a beneficiary of another account, at its making, its change and its run', async (t) => {
  const bank = await orderScene(await world(t))
  const { body } = await bank.ada().post(`/api/v1/accounts/${bank.to}/beneficiaries`, {
    name: 'Otto',
    iban: 'GB33BUKB20201555555555',
  })
  const beneficiaryId = body.id as string
  assert.equal(toText(await bank.ask({ beneficiaryId })), '403 forbidden')
  const id = await bank.make({ firstOn: '2026-01-02' })
  const changed = await bank.ada().patch(`/api/v1/orders/${id}`, { beneficiaryId })
  assert.equal(toText(changed), '403 forbidden')
  await bank.sql('update standing_orders set beneficiary_id = $1 where id = $2', [
    beneficiaryId,
    id,
  ])
  await bank.work()
  assert.deepEqual(await bank.runs(id), ['2026-01-02 refused forbidden'])
})

test('a day of an order to an IBAN of this bank that no account has is refused', async (t) => {
  const bank = await orderScene(await world(t))
  const id = await bank.make({ firstOn: '2026-01-02' })
  await bank.sql(
    `update beneficiaries set iban = (select iban from accounts where id = $2) where id = $1`,
    [bank.payeeId, bank.to],
  )
  await bank.sql(`update accounts set iban = 'XX990000000000000000' where id = $1`, [bank.to])
  await bank.work()
  assert.deepEqual(await bank.runs(id), ['2026-01-02 refused account_closed'])
})
