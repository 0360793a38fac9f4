// One line of the form: its value, or what is wrong with it by the name of its member. No value of
// the file is ever told: faults are kept in terminals, logs and tickets.
import { hash } from 'node:crypto'
import { isValidIBAN } from 'ibantools'
import type { BankCode } from '../../domain/bban.ts'
import { closedDaysMax } from '../../domain/calendar/business-days.ts'
import { containsCardNumber } from '../../domain/card-number.ts'
import { isDay, readTime } from '../../domain/date-range.ts'
import { foldName } from '../../domain/folding.ts'
import { isOwnIban } from '../../domain/iban.ts'
import { canonicalJson, parseJson } from '../../domain/json.ts'
import { type Currency, parseAmount } from '../../domain/money.ts'
import { isPhone } from '../../domain/phone.ts'
import { addDays, dueAfter } from '../../domain/calendar/rhythm.ts'
import { normaliseEmail, normaliseUsername } from '../../domain/usernames.ts'
import { compile, toInvalidRequest } from '../../http/validation.ts'
import { type LineFile, type LineOf, lineSchemas, Totals } from './format.ts'

/** What a line is judged by, beside itself. */
export type ParseRules = {
  banks: readonly BankCode[]
  now: number
  /** The day of the bank. */
  today: string
}

/** A row as it is staged: by the names of the columns. */
export type StagedRow = Record<string, string | number | boolean | null>

export class LineFault extends Error {}

/** A next day that is further back would be a mistake, and be paid at once. */
const lateDaysMax = 5

/** The identifier of a former entry begins with its time. */
const firstDay = '1970-01-01'

/** Throws {@link LineFault}. */
export function parseLine(file: LineFile, bytes: Buffer, rules: ParseRules): StagedRow {
  const value = parseValue(lineSchemas[file], bytes)
  requireNoCardNumber(value as object)
  const row = (toRow[file] as (line: object, rules: ParseRules) => StagedRow)(
    value as object,
    rules,
  )
  return { ...row, hash: `\\x${hash('sha256', canonicalJson(value), 'hex')}` }
}

/** Throws {@link LineFault}. */
export const parseTotals = (bytes: Buffer): Totals => parseValue(Totals, bytes) as Totals

function parseValue(schema: object, bytes: Buffer): unknown {
  let value: unknown
  try {
    value = parseJson(bytes)
  } catch {
    throw new LineFault('is not strict JSON')
  }
  const validate = compile(schema)
  if (validate(value)) return value
  const [error] = validate.errors ?? []
  // The name of a member that is not known could be anything.
  if (error?.keyword === 'additionalProperties') throw new LineFault('has a member that is unknown')
  const [detail] = toInvalidRequest(validate.errors ?? [], 'line').options.details ?? []
  throw new LineFault(`${nameOf(detail?.path)} ${detail?.message ?? 'is not valid'}`)
}

/** `/line/iban` → `iban`. A member of the totals may have any name. */
const nameOf = (path = ''): string => path.split('/')[2] ?? 'the line'

const requireThat = (isSo: boolean, member: string, wrong: string): void => {
  if (!isSo) throw new LineFault(`${member} ${wrong}`)
}

/** An IBAN that passes its check is no card number, and another is refused. */
const ibanMembers = new Set(['iban', 'counterpartyIban'])

function requireNoCardNumber(value: object): void {
  for (const [member, text] of Object.entries(value)) {
    if (typeof text !== 'string' || ibanMembers.has(member)) continue
    if (!containsCardNumber(text, 'schemes')) continue
    throw new LineFault(`${member} holds what looks like a card number`)
  }
}

function amountOf(text: string, currency: string, member: string): string {
  const isNegative = text.startsWith('-')
  const units = parseAmount(isNegative ? text.slice(1) : text, currency as Currency)
  if (units === undefined) throw new LineFault(`${member} is not an amount of its currency`)
  return (isNegative ? -units : units).toString()
}

const limitOf = (text: string | undefined, currency: string, member: string): string | null =>
  text === undefined ? null : amountOf(text, currency, member)

function requirePhone(text: string | undefined, member: string): void {
  requireThat(text === undefined || isPhone(text), member, 'is not a valid telephone number')
}

type ToRow = { [F in LineFile]: (line: LineOf<F>, rules: ParseRules) => StagedRow }

const toRow: ToRow = {
  people(line) {
    const { sourceId, givenName, familyName, phone, address, language, status } = line
    const username = normaliseUsername(line.username)
    const email = normaliseEmail(line.email)
    requireThat(username !== undefined, 'username', 'is not a user name')
    requireThat(email !== undefined, 'email', 'is not an e-mail address')
    requirePhone(phone, 'phone')
    return {
      source_id: sourceId,
      username: username as string,
      email: email as string,
      given_name: givenName,
      family_name: familyName,
      folded_name: foldName(`${givenName} ${familyName}`),
      phone: phone ?? null,
      address: address ?? null,
      language: language ?? null,
      status: status ?? 'active',
    }
  },
  accounts(line, { banks }) {
    const { sourceId, owner, iban, currency, name, status = 'active', frozenBecause } = line
    requireThat(isValidIBAN(iban), 'iban', 'is not an IBAN')
    requireThat(isOwnIban(banks, iban), 'iban', 'is not of a code of this bank')
    requireThat(
      frozenBecause === undefined || status === 'frozen',
      'frozenBecause',
      'is of an account that is not frozen',
    )
    requirePhone(line.registeredPhone, 'registeredPhone')
    return {
      source_id: sourceId,
      owner,
      iban,
      currency,
      name: name ?? null,
      status,
      frozen_because: frozenBecause ?? null,
      overdraft_limit: amountOf(line.overdraftLimit ?? '0', currency, 'overdraftLimit'),
      daily_transfer_limit: limitOf(line.dailyTransferLimit, currency, 'dailyTransferLimit'),
      own_per_payment: limitOf(line.ownPerPayment, currency, 'ownPerPayment'),
      own_per_day: limitOf(line.ownPerDay, currency, 'ownPerDay'),
      registered_phone: line.registeredPhone ?? null,
      alerts_enabled: line.alertsEnabled ?? true,
    }
  },
  blocks({ sourceId, account, debits, credits, cause, note, until }, { now }) {
    requireThat(debits || credits, 'debits', 'or credits: one of them is needed')
    const end = until === undefined ? undefined : readTime(until)
    requireThat(until === undefined || end !== undefined, 'until', 'is not a time')
    requireThat(end === undefined || end > now, 'until', 'is over')
    return { source_id: sourceId, account, debits, credits, cause, note, until: until ?? null }
  },
  balances: ({ account, amount, currency, unarrangedSince }) => ({
    source_id: account,
    amount: amountOf(amount, currency, 'amount'),
    currency,
    unarranged_since: unarrangedSince ?? null,
  }),
  beneficiaries({ sourceId, account, name, iban, nickname, status }) {
    requireThat(isValidIBAN(iban), 'iban', 'is not an IBAN')
    return {
      source_id: sourceId,
      account,
      name,
      iban,
      nickname: nickname ?? null,
      status: status ?? 'active',
    }
  },
  orders(line, { today }) {
    const { firstOn, nextOn, lastOn = null, rhythm, currency, beneficiary, toAccount } = line
    for (const [member, day] of Object.entries({ firstOn, nextOn, lastOn })) {
      requireThat(day === null || isDay(day), member, 'is not a day')
    }
    const isOne = (beneficiary === undefined) !== (toAccount === undefined)
    requireThat(isOne, 'beneficiary', 'or toAccount: one of them is needed')
    const due = dueAfter({ rhythm, firstOn, lastOn }, addDays(nextOn, -1))
    requireThat(due === nextOn, 'nextOn', 'is not a day of its rhythm')
    // A paused one goes on behind its pause.
    const isPaused = line.status === 'paused'
    const daysMax = lateDaysMax + (line.onHoliday === 'after' ? closedDaysMax : 0)
    const isDueYet = isPaused || nextOn >= addDays(today, -daysMax)
    requireThat(isDueYet, 'nextOn', 'is long over')
    const amount = amountOf(line.amount, currency, 'amount')
    requireThat(amount !== '0', 'amount', 'is zero')
    return {
      source_id: line.sourceId,
      account: line.account,
      beneficiary: beneficiary ?? null,
      to_account: toAccount ?? null,
      amount,
      currency,
      reference: line.reference ?? '',
      rhythm,
      first_on: firstOn,
      last_on: lastOn,
      next_on: nextOn,
      retry_days: line.retryDays ?? 0,
      // Not the usual rule of this bank: the same file is the same orders anywhere.
      on_holiday: line.onHoliday ?? 'pay',
      status: line.status ?? 'active',
    }
  },
  history(line, { today }) {
    const { bookedOn, counterpartyIban: iban, currency } = line
    requireThat(isDay(bookedOn), 'bookedOn', 'is not a day')
    requireThat(bookedOn >= firstDay, 'bookedOn', 'is before 1970')
    requireThat(bookedOn <= today, 'bookedOn', 'is after the day of the import')
    requireThat(iban === undefined || isValidIBAN(iban), 'counterpartyIban', 'is not an IBAN')
    return {
      source_id: line.sourceId,
      account: line.account,
      booked_on: bookedOn,
      amount: amountOf(line.amount, currency, 'amount'),
      currency,
      counterparty_name: line.counterpartyName ?? null,
      counterparty_iban: iban ?? null,
      reference: line.reference ?? '',
    }
  },
}
