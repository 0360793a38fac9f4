// Blocks of accounts in tests.
import assert from 'node:assert/strict'
import { newId } from '../../src/domain/ids.ts'
import { tellBlock } from '../../src/ledger/rules/blocks.ts'
import { type ApiClient, people, type Reply, type World } from './world.ts'

export const blocksOf = (accountId: string): string => `/api/v1/admin/accounts/${accountId}/blocks`

export const sides = {
  debits: { debits: true, credits: false },
  credits: { debits: false, credits: true },
  both: { debits: true, credits: true },
} as const

export const newBlock = (side: keyof typeof sides, more: object = {}) => ({
  ...sides[side],
  cause: 'court_order',
  note: 'Order 12 C 345/26',
  ...more,
})

/** Sets a block. Gives its identifier. */
export async function block(
  by: Pick<ApiClient, 'post'>,
  accountId: string,
  side: keyof typeof sides,
  more: object = {},
): Promise<string> {
  const made = await by.post(blocksOf(accountId), newBlock(side, more))
  assert.equal(made.status, 201, made.text)
  return made.body.id as string
}

export async function lift(
  by: Pick<ApiClient, 'delete'>,
  accountId: string,
  id: string,
): Promise<void> {
  const lifted = await by.delete(`${blocksOf(accountId)}/${id}`)
  assert.equal(lifted.status, 200, lifted.text)
}

/** An account that nothing else uses, with a block of its debits that this caller has set. */
export async function blockedAccount({ login, sql, clock }: World, by: string) {
  const { body } = await (await login('ada')).post('/api/v1/accounts', { currency: 'EUR' })
  const [accountId, blockId] = [body.id as string, newId(clock.now())]
  await sql(
    `with summed as (
       update accounts set debits_blocked_until = '9999-12-31T23:59:59.999Z' where id = $2
     )
     insert into account_blocks (id, account_id, debits, credits, cause, note, set_at, set_by)
     values ($1, $2, true, false, 'fraud', 'Unusual payments', $3, $4)`,
    [blockId, accountId, new Date(clock.now()), by],
  )
  return { accountId, blockId }
}

/** That a block is set and another one lifted, with the target and the detail of the event. */
export async function changesOfBlocks(
  root: Pick<ApiClient, 'post' | 'delete'>,
): Promise<[() => Promise<Reply>, string, (reply: Reply) => string][]> {
  const opened = await root.post('/api/v1/accounts', { currency: 'EUR', ownerId: people.ben.id })
  const accountId = opened.body.id as string
  const [path, id] = [blocksOf(accountId), await block(root, accountId, 'credits')]
  const tell = ({ body }: Reply) => tellBlock({ ...body, until: null })
  return [
    [() => root.delete(`${path}/${id}`), id, tell],
    [() => root.post(path, newBlock('debits')), accountId, tell],
  ]
}
