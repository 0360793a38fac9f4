// Endpoints of cards. Freezing by POST and by PUT follows the same rules (sql.ts).
import { type Static, Type } from '../../domain/type.ts'
import { listSchema, pageQuery } from '../../http/pagination.ts'
import { readSecret } from '../../gate/provision.ts'
import { refuse } from '../../domain/errors.ts'
import type { Db } from '../../database/statements/statement.ts'
import { AccountId, CardId } from '../../domain/ids.ts'
import { formatAmount } from '../../domain/money.ts'
import { Answer, type Context, route } from '../../http/route.ts'
import { readCardDays } from '../../ledger/rows/card-days.ts'
import { spentOn } from '../../ledger/rules/holds.ts'
import { closed, Nickname, nullable, oneOf } from '../../domain/schema.ts'
import { readAccount, requireOpen } from '../accounts/sql.ts'
import { changeCard, changeControls, issueCard, toControls } from './lifecycle.ts'
import { maskedCardNumber } from './number.ts'
import { Card, ControlsChange, showControls, toCard } from './schemas.ts'
import { cardById, cardsByAccount, type CardRow, newControls, statuses } from './sql.ts'

const ofAccount = closed({ accountId: AccountId })
const byId = closed({ id: CardId })
const readers = { customer: 'own', 'support-agent': 'any', admin: 'any' } as const
const writers = { customer: 'own', admin: 'any' } as const

type AnswerContext = Pick<Context, 'caller' | 'db' | 'now' | 'service'>

/** Cards with what counts to the limit of their day now. */
async function answerCards(
  { caller, db, now, service }: AnswerContext,
  cards: readonly CardRow[],
): Promise<Static<typeof Card>[]> {
  const ids = cards.map(({ id }) => id)
  const days = new Map((await readCardDays(db, ids, now)).map((day) => [day.id, day]))
  const today = service.clocks.days().dayOf(now)
  return cards.map((card) => {
    const day = days.get(card.id) ?? refuse('not_found')
    const spentToday = formatAmount(spentOn(day, today), card.currency)
    return { ...toCard(card, caller.grant === 'any'), spentToday }
  })
}
const answerCard = async (context: AnswerContext, card: CardRow) =>
  (await answerCards(context, [card]))[0] ?? refuse('not_found')

const list = route({
  method: 'GET',
  path: '/api/v1/accounts/:accountId/cards',
  operation: 'listCards',
  summary: 'List the cards of an account, cancelled ones included, newest first.',
  access: readers,
  service: 'read',
  limit: 'read',
  params: ofAccount,
  query: closed(pageQuery),
  reply: { 200: listSchema(Card) },
  refusals: ['not_found'],
  row: readAccount,
  async handle({ params: { accountId }, page, row, ...context }) {
    const { db } = context
    requireOpen(row)
    return page({
      fetch: async (after, count) =>
        answerCards(context, await cardsByAccount(db, accountId, after, count)),
      toItem: (card) => card,
    })
  },
})

const issue = route({
  method: 'POST',
  path: '/api/v1/accounts/:accountId/cards',
  operation: 'issueCard',
  summary: 'Issue a card for an account: without limits, and with all channels on.',
  access: writers,
  service: 'operation',
  confirm: async ({ params: { accountId }, db }) => {
    const [account] = await db.lookup(readAccount, accountId)
    const { iban, currency } = requireOpen(account)
    return { iban, ...showControls(newControls, currency) }
  },
  limit: 'sensitive',
  params: ofAccount,
  body: closed({ nickname: Type.Optional(nullable(Nickname)) }),
  reply: { 201: Card },
  refusals: ['not_found', 'account_frozen', 'limit_exceeded'],
  example: { nickname: 'Groceries' },
  async handle({ params: { accountId }, body, caller, db, now }) {
    const { nickname = null } = body
    const card = await issueCard(db, { accountId, nickname, now }, await readSecret(db, 'card'))
    const spentToday = formatAmount(0n, card.currency)
    return new Answer(
      { ...toCard(card, caller.grant === 'any'), spentToday },
      { location: `/api/v1/cards/${card.id}` },
    )
  },
})

const read = route({
  method: 'GET',
  path: '/api/v1/cards/:id',
  operation: 'getCard',
  summary: 'Read a card.',
  access: readers,
  service: 'read',
  limit: 'read',
  params: byId,
  reply: { 200: Card },
  refusals: ['not_found'],
  async handle({ params, ...context }) {
    return answerCard(context, (await cardById(context.db, params.id)) ?? refuse('not_found'))
  },
})

/** Refusals of every change. `forbidden` is one too: an administrator froze the card. */
const refusals = ['not_found', 'account_frozen', 'card_cancelled'] as const

/** The card with what it may do, as it is. */
async function showCard({ params, db }: { params: { id: string }; db: Db }) {
  const card = (await cardById(db, params.id)) ?? refuse('not_found')
  return { card: maskedCardNumber(card.lastFour), ...showControls(card, card.currency) }
}

const statusRoute = (verb: 'freeze' | 'unfreeze', summary: string) =>
  route({
    method: 'POST',
    path: `/api/v1/cards/:id/${verb}`,
    operation: verb === 'freeze' ? 'freezeCard' : 'unfreezeCard',
    summary,
    access: writers,
    service: 'operation',
    ...(verb === 'unfreeze' && { confirm: showCard, confirmsSome: true }),
    limit: 'sensitive',
    params: byId,
    reply: { 200: Card },
    refusals,
    async handle(context) {
      const status = verb === 'freeze' ? 'frozen' : 'active'
      return answerCard(context, await changeCard(context, context.params.id, { status }))
    },
  })

const update = route({
  method: 'PUT',
  path: '/api/v1/cards/:id',
  operation: 'updateCard',
  summary:
    'Change the status or the nickname of a card, or both. A status has the same effect as its ' +
    'own route, and a cancelled card stays cancelled. A customer cannot cancel a card that an ' +
    'administrator froze. Only what unfreezes the card is confirmed.',
  access: writers,
  service: 'operation',
  confirm: showCard,
  confirmsSome: true,
  limit: 'sensitive',
  params: byId,
  body: closed(
    { status: Type.Optional(oneOf(statuses)), nickname: Type.Optional(nullable(Nickname)) },
    { minProperties: 1 },
  ),
  reply: { 200: Card },
  refusals: [...refusals, 'illegal_transition'],
  example: { status: 'frozen', nickname: 'Groceries' },
  async handle(context) {
    const { params, body } = context
    return answerCard(context, await changeCard(context, params.id, body))
  },
})

const updateControls = route({
  method: 'PATCH',
  path: '/api/v1/cards/:id/controls',
  operation: 'updateCardControls',
  summary:
    'Change limits and channels of a card. What is left out stays, null ends a limit. What ' +
    'allows the card more than before is confirmed, what allows it less is not.',
  access: { customer: 'own' },
  confirm: async ({ params, body, db }) => {
    const before = (await cardById(db, params.id)) ?? refuse('not_found')
    const shown = showControls(toControls(before, body), before.currency)
    return { card: maskedCardNumber(before.lastFour), ...shown }
  },
  confirmsSome: true,
  limit: 'sensitive',
  params: byId,
  body: ControlsChange,
  reply: { 200: Card },
  refusals: [...refusals, 'currency_mismatch'],
  example: { currency: 'EUR', limits: { perDay: '250.00' }, channels: { abroad: false } },
  async handle(context) {
    const { params, body } = context
    return answerCard(context, await changeControls(context, params.id, body))
  },
})

export const cardRoutes = [
  list,
  issue,
  read,
  statusRoute(
    'freeze',
    'Freeze a card. Only an administrator unfreezes a card that an administrator froze.',
  ),
  statusRoute('unfreeze', 'Unfreeze a card. 403 for a customer if an administrator froze it.'),
  update,
  updateControls,
]
