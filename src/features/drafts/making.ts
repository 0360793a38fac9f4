// A new payment draft: judged behind the lock of its account, and stored. Nothing is paid by it.
import type { Static } from '../../domain/type.ts'
import { databaseNow } from '../../database/background/clocks.ts'
import type { Db } from '../../database/statements/statement.ts'
import { dayMs } from '../../domain/clock.ts'
import { countLimit, refuse } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import type { ShownTerms } from '../../gate/confirmations.ts'
import { once } from '../../http/once.ts'
import { Answer, type Context } from '../../http/route.ts'
import { readIdempotencyKey } from '../../ledger/batch/idempotency.ts'
import { toPayeeColumns } from '../../ledger/rules/payee-check.ts'
import { signaturesNeeded } from '../../ledger/rules/signatures.ts'
import { lockAccount, type LockedRow, requireActive } from '../accounts/sql.ts'
import { requireOn } from '../../gate/members.ts'
import { queueDraftMails } from '../mail/drafts-sql.ts'
import { parsePositiveAmount } from '../movements/schemas.ts'
import { requireTarget, showPayee } from '../orders/terms.ts'
import {
  type CarriedCheck,
  readCarried,
  requireProven,
  requireSamePayee,
  showCheck,
} from '../payee-checks/carried.ts'
import { findDayLimit } from './day-limit.ts'
import { type NewDraft, toDraft } from './schemas.ts'
import { addDraft, addSignature, draftById, type DraftRow, draftsMax, payersOf } from './sql.ts'

type Making = Context<{ accountId: string }, undefined, Static<typeof NewDraft>>

/** How long a draft waits for its first signature, and then for the second one. */
const unsignedMs = 30 * dayMs
export const signedMs = 7 * dayMs

/** What a person that may pay confirms: making the draft is the first signature. */
export async function showDraft({ body, caller, db, service }: Making): Promise<ShownTerms> {
  requireOn(service)
  const { amount, currency, reference } = body
  return {
    ...(await showPayee(db, body)),
    amount,
    currency,
    ...(reference !== undefined && reference !== '' && { reference }),
    ...showCheck(await readCarried(db, body, caller)),
  }
}

/** With an Idempotency-Key a repetition gets the first answer. */
export async function makeOnce(context: Making) {
  const { params, body, headers, caller, db, service } = context
  requireOn(service)
  const { accountId } = params
  const amount = parsePositiveAmount(body)
  const check = await readCarried(db, body, caller)
  const { row, isReplayed } = await once(db, service.clock, {
    callerId: caller.userId,
    key: readIdempotencyKey(headers),
    terms: [
      'createDraft',
      accountId,
      body.toAccountId ?? null,
      body.beneficiaryId ?? null,
      amount,
      body.currency,
      body.reference ?? '',
      check ? [check.id, check.isAccepted] : null,
    ],
    lock: (tx) => lockAccount(tx, accountId),
    make: (tx, account) => make(tx, account, context, { amount, check }),
    note: toNote,
    readAgain: async (tx, id, note) => asMade(await draftById(tx, id), note ?? '', body),
  })
  return new Answer(toDraft(row, row.createdAt.getTime()), {
    location: `/api/v1/drafts/${row.id}`,
    ...(isReplayed && { 'idempotency-replayed': 'true' }),
  })
}

/** What the first answer says that its request does not. */
const toNote = (row: DraftRow): string =>
  [
    row.expiresAt.toISOString(),
    row.signedBy.length,
    signaturesNeeded(row, row.amount, row.createdAt.getTime()),
  ].join(' ')

/** The draft as it was answered first. */
function asMade(row: DraftRow, note: string, { reference = '' }: Making['body']): DraftRow {
  const [expiresAt = '', signatures, needed = ''] = note.split(' ')
  return {
    ...row,
    reference,
    status: 'waiting',
    expiresAt: new Date(expiresAt),
    signedBy: signatures === '0' ? [] : [row.makerId],
    paidBy: Number.parseInt(needed, 10),
    endedAt: null,
    endedBy: null,
    transferId: null,
  }
}

async function make(
  tx: Db,
  found: LockedRow | undefined,
  { params: { accountId }, body, caller, service, requireConfirmed }: Making,
  { amount, check }: { amount: bigint; check: CarriedCheck | undefined },
): Promise<DraftRow> {
  const { currency, reference = '' } = body
  if (requireActive(found).currency !== currency) refuse('currency_mismatch')
  const payee = await requireTarget(tx, { accountId, currency }, body)
  if (payee && payee.status !== 'active') refuse('beneficiary_inactive')
  requireSamePayee(check, payee)
  if (payee) await requireProven(tx, check, service)
  const at = await databaseNow(tx, service.clock)
  const payers = await payersOf(tx, accountId, amount, at)
  const signed = { accountId, personId: caller.userId, amount, currency }
  const isSigned =
    payers.includes(caller.userId) &&
    !(await findDayLimit(tx, signed, { at, days: service.clocks.days() }))
  if (isSigned) requireConfirmed()
  const { payeeResult, payeeAccepted } = toPayeeColumns(check)
  const row = {
    id: newId(at),
    accountId,
    makerId: caller.userId,
    makerSessionId: caller.sessionId,
    makerKid: caller.kid,
    beneficiaryId: body.beneficiaryId ?? null,
    toAccountId: body.toAccountId ?? null,
    amount,
    reference,
    payeeResult: payeeResult as DraftRow['payeeResult'],
    payeeAccepted,
    expiresAt: new Date(at + (isSigned ? signedMs : unsignedMs)),
    createdAt: new Date(at),
  }
  if (!(await addDraft(tx, row))) {
    refuse('limit_exceeded', { limit: countLimit('drafts', draftsMax) })
  }
  if (isSigned) {
    const { userId: personId, sessionId, kid } = caller
    await addSignature(tx, { draftId: row.id, personId, sessionId, kid, signedAt: new Date(at) })
  }
  const others = payers.filter((id) => id !== caller.userId)
  await queueDraftMails(tx, 'draft-waiting', { draftId: row.id, people: others }, at)
  return draftById(tx, row.id)
}
