// Endpoints of notices: a person chooses which mails are sent, and the owner of an account below
// which balance.
import { type Static, Type } from '../../domain/type.ts'
import { databaseNow } from '../../database/background/clocks.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { Refusal, refuse } from '../../domain/errors.ts'
import { AccountId } from '../../domain/ids.ts'
import { type Currency as CurrencyCode, formatAmount } from '../../domain/money.ts'
import { Amount, closed, Currency, named, nullable, oneOf } from '../../domain/schema.ts'
import { route } from '../../http/route.ts'
import { isBelow } from '../../ledger/rules/balance-notice.ts'
import { toUnitsOf } from '../limits/routes.ts'
import { isChosen, isSentUnasked, type NoticeKind, noticeKinds } from '../mail/kinds.ts'
import { queueHourly } from '../mail/sql.ts'
import {
  type Channel,
  channels,
  type Choice,
  choicesOf,
  lockedChoices,
  lockedNoticeAccount,
  type NoticeAccount,
  noticeAccount,
  writeBelow,
  writeChoices,
} from './sql.ts'

const kind = oneOf(noticeKinds)
const channel = oneOf(channels)
const Notice = named('Notice', {
  kind,
  channel,
  fixed: Type.Boolean({
    description: 'It is about access or security, and cannot be switched off.',
  }),
})
const Notices = named('Notices', {
  notices: Type.Array(Notice, { maxItems: noticeKinds.length }),
})
const WantedNotices = closed({
  notices: Type.Array(closed({ kind, channel }), {
    minItems: 1,
    maxItems: noticeKinds.length,
  }),
})
type Wanted = Static<typeof WantedNotices>['notices']

const channelOf = (of: NoticeKind, choices: readonly Choice[]): Channel =>
  choices.find((choice) => choice.kind === of)?.channel ?? (isSentUnasked(of) ? 'mail' : 'off')

const toNotices = (choices: readonly Choice[]): Static<typeof Notices> => ({
  notices: noticeKinds.map((of) => ({
    kind: of,
    channel: channelOf(of, choices),
    fixed: !isChosen(of),
  })),
})

/** Refuses a kind that is named twice, and every kind that cannot be switched off and is. */
function toChoices(wanted: Wanted): Choice[] {
  const kinds = wanted.map((notice) => notice.kind)
  const details = wanted.flatMap((notice, index) => {
    const path = `/body/notices/${index}`
    if (kinds.indexOf(notice.kind) !== index) return [{ path, message: 'names a kind again' }]
    return notice.channel === 'off' && !isChosen(notice.kind)
      ? [{ path, message: 'is about access or security, and cannot be switched off' }]
      : []
  })
  if (details.length > 0) throw new Refusal('invalid_request', { details })
  return wanted.flatMap(({ kind: of, channel: by }) =>
    isChosen(of) ? [{ kind: of, channel: by }] : [],
  )
}

const access = { customer: 'self' } as const
const path = '/api/v1/me/notices'

const read = route({
  method: 'GET',
  path,
  operation: 'getMyNotices',
  summary: 'Read which mails you are sent, by kind, and which of them cannot be switched off.',
  access,
  limit: 'read',
  reply: { 200: Notices },
  handle: async ({ caller, db }) => toNotices(await choicesOf(db, caller.userId)),
})

const change = route({
  method: 'PUT',
  path,
  operation: 'updateMyNotices',
  summary:
    'Choose which mails you are sent. Kinds that are left out stay as they are. What is switched ' +
    'off is confirmed, and told by mail.',
  access,
  confirm: true,
  confirmsSome: true,
  limit: 'sensitive',
  body: WantedNotices,
  reply: { 200: Notices },
  example: { notices: [{ kind: 'money-arrived', channel: 'mail' }] },
  async handle({ body, caller, db, now, record, requireConfirmed }) {
    const { userId } = caller
    const wanted = toChoices(body.notices)
    return transaction(db, async (tx) => {
      const before = await lockedChoices(tx, userId)
      const changed = wanted.filter((one) => channelOf(one.kind, before) !== one.channel)
      if (changed.some((one) => one.channel === 'off')) {
        requireConfirmed()
        await queueHourly(tx, 'notices-off', userId, now)
      }
      await writeChoices(tx, userId, changed)
      await record(tx, {
        target: userId,
        detail: changed.map((one) => `${one.kind}: ${one.channel}`).join('; ') || null,
      })
      return toNotices(await choicesOf(tx, userId))
    })
  },
})

const pathOfAccount = '/api/v1/accounts/:accountId/notices'
const params = closed({ accountId: AccountId })
const ofOwner = { customer: 'own' } as const

const AccountNotices = named('AccountNotices', {
  currency: Currency,
  balanceBelow: nullable(Amount),
})
const WantedOfAccount = closed({ currency: Currency, balanceBelow: nullable(Amount) })

export const toAccountNotices = (row: NoticeAccount): Static<typeof AccountNotices> => ({
  currency: row.currency,
  balanceBelow: row.noticeBelow === null ? null : formatAmount(row.noticeBelow, row.currency),
})

const textOf = (amount: bigint | null, currency: CurrencyCode): string =>
  amount === null ? 'none' : formatAmount(amount, currency)

const readOfAccount = route({
  method: 'GET',
  path: pathOfAccount,
  operation: 'getAccountNotices',
  summary: 'Read below which balance of an account you are told by mail.',
  access: ofOwner,
  limit: 'read',
  params,
  reply: { 200: AccountNotices },
  refusals: ['not_found'],
  async handle({ params: { accountId }, db }) {
    return toAccountNotices((await noticeAccount(db, accountId)) ?? refuse('not_found'))
  },
})

const changeOfAccount = route({
  method: 'PUT',
  path: pathOfAccount,
  operation: 'updateAccountNotices',
  summary:
    'Choose below which balance of an account you are told by mail: once, until the balance has ' +
    'reached the amount again. Null: you are not told. Less than before is confirmed, and told.',
  access: ofOwner,
  confirm: async ({ params: { accountId }, body, db }) => {
    const { iban } = (await noticeAccount(db, accountId)) ?? refuse('not_found')
    const { currency, balanceBelow } = body
    return { iban, ...(balanceBelow !== null && { currency, amount: balanceBelow }) }
  },
  confirmsSome: true,
  limit: 'sensitive',
  params,
  body: WantedOfAccount,
  reply: { 200: AccountNotices },
  refusals: ['not_found', 'currency_mismatch'],
  example: { currency: 'EUR', balanceBelow: '100.00' },
  async handle({ params: { accountId }, body, caller, db, service, record, requireConfirmed }) {
    return transaction(db, async (tx) => {
      const row = (await lockedNoticeAccount(tx, accountId)) ?? refuse('not_found')
      const noticeBelow = toUnitsOf(body, row)('balanceBelow')
      const { noticeBelow: before } = row
      if (before !== null && (noticeBelow === null || noticeBelow < before)) {
        requireConfirmed()
        await queueHourly(tx, 'notices-off', caller.userId, await databaseNow(tx, service.clock))
      }
      // Who chooses an amount above the balance sees the balance: no mail says so.
      const changed = { ...row, noticeBelow, isBelowTold: isBelow(noticeBelow, row.balance) }
      await writeBelow(tx, changed)
      const [from, to] = [textOf(before, row.currency), textOf(noticeBelow, row.currency)]
      await record(tx, { detail: from === to ? null : `balanceBelow: ${from} > ${to}` })
      return toAccountNotices(changed)
    })
  },
})

export const noticeRoutes = [read, change, readOfAccount, changeOfAccount]
