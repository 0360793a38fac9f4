// The check that a payment, a new payee or a standing order names.
import { type Static, Type } from '../../domain/type.ts'
import { databaseNow } from '../../database/background/clocks.ts'
import type { Db, RowOf } from '../../database/statements/statement.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../domain/clock.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { PayeeCheckId } from '../../domain/ids.ts'
import { type CheckResult, checkResults } from '../../domain/payee-name.ts'
import { named, oneOf } from '../../domain/schema.ts'
import type { ShownTerms } from '../../gate/confirmations.ts'
import type { Caller } from '../../gate/roles.ts'
import { type PayeeCheck, type payeeColumns, refusePayee } from '../../ledger/rules/payee-check.ts'
import { payeeCheckById } from './sql.ts'

/** In a body. */
export const carriedFields = {
  payeeCheckId: Type.Optional(PayeeCheckId),
  acceptPayee: Type.Optional(
    Type.Boolean({
      description: 'True: the payer goes on although the name does not match.',
      examples: [true],
    }),
  ),
}
export type CarriedFields = { payeeCheckId?: string; acceptPayee?: boolean }

/** In an answer. */
export const CheckedPayee = named('CheckedPayee', {
  result: oneOf(checkResults),
  name: Type.Optional(
    Type.String({
      maxLength: 141,
      description: "The holder's name that the payer was told.",
      examples: ['Ada Okafor'],
    }),
  ),
  accepted: Type.Boolean({
    description: 'Whether the payer went on although the name does not match.',
  }),
})

/** The columns of what was checked, as its answer shows them. */
export function toCheckedPayee({
  payeeResult = null,
  payeeName = null,
  payeeAccepted = null,
}: Partial<RowOf<typeof payeeColumns>> = {}): { payeeCheck?: Static<typeof CheckedPayee> } {
  if (payeeResult === null) return {}
  const result = payeeResult as CheckResult
  const name = payeeName !== null && { name: payeeName }
  return { payeeCheck: { result, ...name, accepted: payeeAccepted === true } }
}

export type CarriedCheck = PayeeCheck & { name: string; iban: string }

/**
 * The check that a body names. Refuses with `forbidden` one that another caller was answered: what
 * a person was told, no program accepts, nor the other way round.
 */
export async function readCarried(
  db: Db,
  { payeeCheckId, acceptPayee = false }: CarriedFields,
  { userId }: Pick<Caller, 'userId'>,
): Promise<CarriedCheck | undefined> {
  if (payeeCheckId === undefined) {
    if (acceptPayee) invalid('/body/acceptPayee', 'needs payeeCheckId')
    return undefined
  }
  const row = await payeeCheckById(db, payeeCheckId)
  if (row?.callerId !== userId) {
    return refuse('forbidden', { because: "another caller's check", target: payeeCheckId })
  }
  const { id, result, holderName, checkedAt, name, iban } = row
  return {
    id,
    holderName,
    checkedAt,
    name,
    iban,
    result: result as CheckResult,
    isAccepted: acceptPayee && result !== 'match',
  }
}

/** Refuses a check of another name or IBAN. */
export function requireSamePayee(
  check: CarriedCheck | undefined,
  payee: { name: string; iban: string } | undefined,
): void {
  if (check && (check.name !== payee?.name || check.iban !== payee.iban)) {
    invalid('/body/payeeCheckId', 'is of another payee')
  }
}

type Judging = { clock: Clock; config: Pick<Config, 'payeeCheck'> }

/**
 * Behind the lock of a change that is no payment, by the time of the database. Refuses with
 * `payee_check_required` or `payee_not_accepted`.
 */
export async function requireProven(
  tx: Db,
  check: CarriedCheck | undefined,
  { clock, config }: Judging,
): Promise<void> {
  const isRequired = config.payeeCheck === 'required'
  if (!check && !isRequired) return
  const refusal = refusePayee({ isRequired, check }, await databaseNow(tx, clock))
  if (refusal) refuse(refusal)
}

/** What a person confirms of the check. */
export const showCheck = (check: CarriedCheck | undefined): ShownTerms =>
  check === undefined
    ? {}
    : {
        payeeResult: check.result,
        ...(check.holderName !== null && { payeeHolder: check.holderName }),
        ...(check.isAccepted && { acceptPayee: 'true' }),
      }

/** In the trail, without a name. */
export const describeCheck = ({ id, result, isAccepted }: PayeeCheck): string =>
  isAccepted ? `${result} accepted check ${id}` : `${result} check ${id}`

export const payeeRefusals = ['payee_check_required', 'payee_not_accepted'] as const
