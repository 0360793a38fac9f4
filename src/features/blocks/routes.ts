// Endpoints of blocks: what administrators and programs stop on an account, and why.
import { isKeptFrom } from '../../audit/kept-reasons.ts'
import { databaseNow } from '../../database/background/clocks.ts'
import type { Db } from '../../database/statements/statement.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { parseInstant } from '../../domain/date-range.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { AccountId, BlockId, newId } from '../../domain/ids.ts'
import { closed } from '../../domain/schema.ts'
import { onceNumbered } from '../../http/once-numbered.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { Answer, type Context, route } from '../../http/route.ts'
import { sumOfBlocks, tellBlock } from '../../ledger/rules/blocks.ts'
import { lockAccount, type LockedRow, readAccount } from '../accounts/sql.ts'
import { Block, isProgram, NewBlock, toBlock } from './schemas.ts'
import {
  addBlock,
  blockById,
  type BlockRow,
  blocksOf,
  unliftedBlocks,
  writeLift,
  writeSum,
} from './sql.ts'

const path = '/api/v1/admin/accounts/:accountId/blocks'
const access = { admin: 'any' } as const
const ofAccount = closed({ accountId: AccountId })

/** So many of an account may stand at once: each change reads all of them. */
export const blocksMax = 100

const showAccount = async ({ params, db }: { params: { accountId: string }; db: Db }) => {
  const [account] = await db.run(readAccount, [[params.accountId]])
  return account ? { iban: account.iban } : {}
}

/** Stores in the account what its blocks come to. Its lock is held. */
const storeSum = async (tx: Db, accountId: string): Promise<void> =>
  writeSum(tx, { id: accountId, ...sumOfBlocks(await unliftedBlocks(tx, accountId)) })

const requireOpenForStaff = (account: LockedRow | undefined): LockedRow => {
  if (!account) refuse('not_found')
  return account.status === 'closed' ? refuse('account_closed') : account
}

type Setting = Pick<Context, 'record' | 'service'>

/** Refuses with `not_found`, `account_closed`, or `limit_exceeded` where as many stand as may. */
async function setBlock(
  tx: Db,
  asked: Omit<Parameters<typeof addBlock>[1], 'setAt'>,
  { record, service: { clock } }: Setting,
): Promise<BlockRow> {
  const { id, accountId, until } = asked
  requireOpenForStaff(await lockAccount(tx, accountId))
  const at = await databaseNow(tx, clock)
  if (until !== null && until.getTime() <= at) invalid('/body/until', 'is in the past')
  const standing = (await unliftedBlocks(tx, accountId)).filter(
    (block) => block.until === null || block.until.getTime() > at,
  )
  if (standing.length >= blocksMax) refuse('limit_exceeded')
  await addBlock(tx, { ...asked, setAt: new Date(at) })
  await storeSum(tx, accountId)
  await record(tx, { detail: tellBlock(asked) })
  return (await blockById(tx, id)) as BlockRow
}

/** It may have been lifted since. */
const readAsFirst = async (tx: Db, id: string): Promise<BlockRow | undefined> => {
  const row = await blockById(tx, id)
  return row && { ...row, liftedAt: null, liftedBy: null }
}

const create = route({
  method: 'POST',
  path,
  operation: 'blockAccount',
  summary:
    'Block what leaves an account at the will of its customer, what arrives on it, or both, to a ' +
    'time or until the block is lifted. Blocks add up. What was reserved before is still taken, ' +
    'and what the bank posts or brings back still moves. Stopped money from another bank lies in ' +
    'suspense where its rail asks for that. The owner sees which side is blocked, never why.',
  access,
  service: 'operation',
  confirm: showAccount,
  limit: 'admin',
  params: ofAccount,
  body: NewBlock,
  reply: { 201: Block },
  refusals: [
    'account_closed',
    'idempotency_key_reused',
    'limit_exceeded',
    'not_found',
    'unavailable',
  ],
  example: {
    debits: true,
    credits: false,
    cause: 'court_order',
    note: 'Order 12 C 345/26 of the local court.',
    until: '2036-01-31T00:00:00+01:00',
  },
  async handle(context) {
    const { params, body, caller, db, now } = context
    const { accountId } = params
    const { externalId, until: end, ...terms } = body
    if (!terms.debits && !terms.credits) invalid('/body', 'stops neither debits nor credits')
    const until = end === undefined ? null : new Date(parseInstant(end, '/body/until'))
    const asked = { id: newId(now), accountId, ...terms, until, setBy: caller.userId }
    const make = (tx: Db) => setBlock(tx, asked, context)
    const { row, isReplayed } =
      externalId === undefined
        ? { row: await transaction(db, make), isReplayed: false }
        : await onceNumbered(db, {
            id: asked.id,
            kind: 'block',
            callerId: caller.userId,
            externalId,
            operation: 'blockAccount',
            terms: { accountId, ...terms, until },
            make,
            readAgain: readAsFirst,
          })
    // As it was answered first: it stood then.
    return new Answer(toBlock(row, row.setAt.getTime(), caller), {
      location: `/api/v1/admin/accounts/${accountId}/blocks`,
      ...(isReplayed && { 'idempotency-replayed': 'true' }),
    })
  },
})

const list = route({
  method: 'GET',
  path,
  operation: 'listAccountBlocks',
  summary:
    'List the blocks of an account, newest first, also those that were lifted or have ended. ' +
    'Support agents are told the class of a cause alone. A program sees those that it has set.',
  access: { 'support-agent': 'any', admin: 'any' },
  service: 'operation',
  limit: 'read',
  params: ofAccount,
  query: closed(pageQuery),
  reply: { 200: listSchema(Block) },
  refusals: ['not_found'],
  row: readAccount,
  async handle({ params: { accountId }, row, caller, db, now, page, service: { members } }) {
    if (!row) refuse('not_found')
    const reader = { userId: caller.userId, areMembersOn: members !== undefined }
    if (await isKeptFrom(db, reader, accountId)) {
      refuse('forbidden', { because: 'blocks of the caller' })
    }
    const setBy = isProgram(caller) ? caller.userId : undefined
    return page({
      fetch: (after, count) => blocksOf(db, { accountId, setBy }, after, count),
      toItem: (block) => toBlock(block, now, caller),
    })
  },
})

const lift = route({
  method: 'DELETE',
  path: `${path}/:blockId`,
  operation: 'unblockAccount',
  summary:
    'Lift a block. It stays in the list, with who lifted it and when; what other blocks stop is ' +
    'still stopped. A program lifts those alone that it has set.',
  access,
  service: 'operation',
  confirm: showAccount,
  limit: 'admin',
  params: closed({ accountId: AccountId, blockId: BlockId }),
  reply: { 200: Block },
  refusals: ['not_found', 'illegal_transition'],
  async handle({ params: { accountId, blockId }, caller, db, record, service: { clock } }) {
    const { at, row } = await transaction(db, async (tx) => {
      await lockAccount(tx, accountId)
      const at = await databaseNow(tx, clock)
      const found = await blockById(tx, blockId)
      if (found?.accountId !== accountId) refuse('not_found')
      // Also of a program whose request an administrator has approved.
      if (isProgram(caller) && found.setBy !== caller.userId) {
        refuse('forbidden', { because: 'a block of another caller' })
      }
      const isOver = found.until !== null && found.until.getTime() <= at
      if (found.liftedAt !== null || isOver) refuse('illegal_transition')
      await writeLift(tx, {
        id: blockId,
        accountId,
        liftedAt: new Date(at),
        liftedBy: caller.userId,
      })
      await storeSum(tx, accountId)
      await record(tx, { detail: tellBlock(found) })
      return { at, row: (await blockById(tx, blockId)) as BlockRow }
    })
    return toBlock(row, at, caller)
  },
})

export const blockRoutes = [create, list, lift]
