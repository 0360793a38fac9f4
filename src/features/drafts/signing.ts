// What is done with a draft that waits: it is signed, and paid with its last signature; or it is
// cancelled.
import { ownBanks } from '../../config/config.ts'
import { databaseNow } from '../../database/background/clocks.ts'
import { transaction } from '../../database/connections/transaction.ts'
import { refuse } from '../../domain/errors.ts'
import { formatAmount } from '../../domain/money.ts'
import type { ShownTerms } from '../../gate/confirmations.ts'
import { NothingMade } from '../../http/effects.ts'
import type { Context } from '../../http/route.ts'
import { noDetails } from '../../ledger/rules/movement.ts'
import { judgeSignature, signaturesNeeded } from '../../ledger/rules/signatures.ts'
import { lockAccount, requireActive, requireOpen } from '../accounts/sql.ts'
import { requireOn } from '../../gate/members.ts'
import { queueDraftMails } from '../mail/drafts-sql.ts'
import { isAbove } from '../movements/answer.ts'
import { findDestination } from '../movements/destination.ts'
import { toMovementCaller } from '../movements/movement-caller.ts'
import { findDayLimit } from './day-limit.ts'
import { signedMs } from './making.ts'
import { toDraft } from './schemas.ts'
import {
  addSignature,
  cancelDraft,
  draftById,
  type DraftRow,
  expireBy,
  lockStanding,
  payersOf,
} from './sql.ts'

type DraftContext = Context<{ id: string }>

/** All terms of the payment, as each signer confirms them. */
export async function showSigned({
  params: { id },
  db,
  service,
}: Pick<DraftContext, 'params' | 'db' | 'service'>): Promise<ShownTerms> {
  requireOn(service)
  const row = await draftById(db, id)
  const { payeeName, payeeIban, toAccountId, payeeResult, payeeAccepted, reference } = row
  return {
    fromAccountId: row.accountId,
    makerId: row.makerId,
    ...(toAccountId !== null && { toAccountId }),
    ...(payeeName !== null && { payee: payeeName }),
    ...(payeeIban !== null && { iban: payeeIban }),
    amount: formatAmount(row.amount, row.currency),
    currency: row.currency,
    ...(reference !== '' && { reference }),
    ...(payeeResult !== null && { payeeResult }),
    ...(payeeAccepted === true && { acceptPayee: 'true' }),
  }
}

/** Stores a signature that is not the last one; the ledger writes the last one with the payment. */
export async function sign(context: DraftContext) {
  const { params, db, now, service } = context
  requireOn(service)
  const row = await draftById(db, params.id)
  if (await signFirst(context, row)) await signAndPay(context, row)
  return toDraft(await draftById(db, params.id), now)
}

/** True when the signature is the last one: nothing was written then. */
async function signFirst(
  { params: { id }, caller, db, service }: DraftContext,
  { accountId, amount, currency }: DraftRow,
): Promise<boolean> {
  const { userId: personId, sessionId, kid } = caller
  const result = await transaction(db, async (tx) => {
    const account = requireActive(await lockAccount(tx, accountId))
    const draft = await lockStanding(tx, id, personId)
    const at = await databaseNow(tx, service.clock)
    const needed = signaturesNeeded(account, amount, at)
    const judged = judgeSignature(draft, { signerId: personId, needed, at })
    if (judged === 'pays') return new NothingMade(undefined)
    if (judged !== 'waits') return refuse(judged)
    const signed = { accountId, personId, amount, currency }
    const limit = await findDayLimit(tx, signed, { at, days: service.clocks.days() })
    if (limit) return refuse('limit_exceeded', { limit })
    await addSignature(tx, { draftId: id, personId, sessionId, kid, signedAt: new Date(at) })
    await expireBy(tx, id, at + signedMs)
    const people = (await payersOf(tx, accountId, amount, at)).filter((each) => each !== personId)
    await queueDraftMails(tx, 'draft-waiting', { draftId: id, people }, at)
    return undefined
  })
  return result instanceof NothingMade
}

async function signAndPay({ caller, db, service }: DraftContext, row: DraftRow): Promise<void> {
  const { id, accountId: fromAccountId, beneficiaryId, toAccountId, amount, currency } = row
  const { config, ledger } = service
  const target = beneficiaryId === null ? { toAccountId: toAccountId as string } : { beneficiaryId }
  const body = { fromAccountId, currency, ...target }
  const destination = (await findDestination(db, body, ownBanks(config))) ?? refuse('not_found')
  const { named, ...sides } = destination
  const { payeeResult, payeeAccepted } = row
  const isUnproven = config.payeeCheck === 'required' && payeeResult === null
  if (named && isUnproven) refuse('payee_check_required')
  await ledger.submit({
    kind: 'transfer',
    fromAccountId,
    amount,
    currency,
    reference: row.reference,
    caller: toMovementCaller(caller, 'customer'),
    ...sides,
    isLarge: named !== undefined && isAbove(config.alertAbove, { amount, currency }),
    draft: { id, people: [row.makerId, ...(row.signedBy as string[])] },
    ...(payeeResult !== null && {
      details: { ...noDetails, payeeResult, payeeName: null, payeeAccepted },
    }),
  })
}

/** Until it is paid, by its maker or a person that may pay; of a frozen account too. */
export async function cancel({ params: { id }, caller, db, service }: DraftContext) {
  requireOn(service)
  const { accountId } = await draftById(db, id)
  await transaction(db, async (tx) => {
    requireOpen(await lockAccount(tx, accountId))
    const draft = (await lockStanding(tx, id, caller.userId)) ?? refuse('not_found')
    const at = await databaseNow(tx, service.clock)
    const payers = await payersOf(tx, accountId, 0n, at)
    if (caller.userId !== draft.makerId && !payers.includes(caller.userId)) refuse('forbidden')
    if (draft.status !== 'waiting' || draft.expiresAt.getTime() <= at) refuse('illegal_transition')
    await cancelDraft(tx, id, caller.userId, at)
    const people = [...new Set([draft.makerId, ...draft.signedBy])]
    const others = people.filter((each) => each !== caller.userId)
    await queueDraftMails(tx, 'draft-ended', { draftId: id, people: others }, at)
  })
}
