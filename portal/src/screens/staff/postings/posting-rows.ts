// Rows of postings as they are typed, or pasted from a spreadsheet or a CSV file: each becomes a
// posting, or what is wrong with it is told with its line.
import { readOnce } from '../../../calls/call.ts'
import { me } from '../../../calls/session.ts'
import type { Account, BankAccount, CreatePostingBatchBody, List } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import {
  amountError,
  currencies,
  type Currency,
  parseTyped,
  toTyped,
} from '../../../texts/money.tsx'
import { toIban, toPlain } from '../../../texts/typed-text.ts'
import { isIban, toLines } from '../../lists/list-file.ts'
import { isId } from '../../../texts/is-id.ts'
import { signError } from '../../../parts/form.tsx'
import { reasonError } from '../reason.tsx'

export type PostingItem = CreatePostingBatchBody['items'][number]

/** One account of a customer is read for each row, and a person reads ten in a second. */
export const rowsMax = 100
export const rowsHead = 'from;to;amount;currency;kind;reason;number'

export type RowFault = { line: number; message: string }
type Row = { line: number; from: string; to: string; item: PostingItem }

const kinds = ['fee', 'interest', 'correction'] as const
type Kind = (typeof kinds)[number]

const isCode = (text: string): boolean => /^[a-z][a-z\d-]{1,29}$/.test(text)
const numberMax = 64
/** Begins the numbers that the page gives. */
const ownNumber = 'row-'
const reasonMax = 140

/** By its word in the API, or in the language of the page. */
function findKind(typed: string): Kind | undefined {
  const text = typed.toLowerCase()
  return kinds.find((kind) => text === kind || text === texts().entry.kinds[kind].toLowerCase())
}

/** A code of the bank, an identifier, or an IBAN in its electronic form. */
function toSide(typed: string): string | undefined {
  // In small letters an IBAN looks like a code.
  const iban = toIban(typed)
  if (isIban(iban)) return iban
  if (isId(typed.toLowerCase())) return typed.toLowerCase()
  return isCode(typed) ? typed : undefined
}

type ReadRows = { rows: Row[]; faults: RowFault[] }

function readRow(line: number, cells: readonly string[], series: string): Row | string {
  const t = texts().postings
  if (cells.length < 6 || cells.length > 7) return t.faults.cells(rowsHead)
  const [typedFrom = '', typedTo = '', typed = '', unit = '', kindName = '', reason = ''] = cells
  const number = cells[6] || `${ownNumber}${series}-${line}`
  const [from, to] = [toSide(typedFrom), toSide(typedTo)]
  if (from === undefined) return t.faults.side(typedFrom)
  if (to === undefined) return t.faults.side(typedTo)
  if (!isCode(from) && !isCode(to)) return t.faults.sides
  if (from === to) return t.faults.same
  const currency = currencies.find((one) => one === unit.toUpperCase())
  if (!currency) return t.faults.currency(unit)
  const amount = parseTyped(typed, currency)
  if (amount === undefined) return amountError(typed, currency)
  const kind = findKind(kindName)
  if (!kind) return t.faults.kind(kinds.map((one) => texts().entry.kinds[one]).join(', '))
  const wrong = reasonError(reason) ?? signError(number)
  if (wrong) return wrong
  if (reason.length > reasonMax) return t.faults.long(reasonMax)
  if (number.length > numberMax) return t.faults.long(numberMax)
  return { line, from, to, item: { amount, currency, kind, reason, externalId: number } }
}

/**
 * The rows of a text, in tabs as spreadsheets copy them, semicolons or commas. A head may stand
 * above them.
 *
 * @param series is in the number of each row that has none
 */
export function readRows(text: string, series: string): ReadRows {
  const t = texts().postings
  const first = text.trimStart().split('\n', 1)[0] ?? ''
  const separator = ['\t', ';'].find((sign) => first.includes(sign)) ?? ','
  const lines = toLines(text.replace(/^\ufeff/, ''), separator)
  if (!lines) return { rows: [], faults: [{ line: 1, message: t.faults.quote }] }
  const read: ReadRows = { rows: [], faults: [] }
  const numbers = new Set<string>()
  for (const [index, typed] of lines.entries()) {
    const cells = typed.map((cell) => toPlain(cell).trim())
    while (cells.length > 6 && cells.at(-1) === '') cells.pop()
    const isHead = cells.join(';').toLowerCase().startsWith('from;to;amount')
    if (cells.every((cell) => cell === '') || isHead) continue
    const line = index + 1
    const row = readRow(line, cells, series)
    if (typeof row === 'string') read.faults.push({ line, message: row })
    else if (numbers.has(row.item.externalId)) {
      read.faults.push({ line, message: t.faults.twice(row.item.externalId) })
    } else {
      numbers.add(row.item.externalId)
      read.rows.push(row)
    }
  }
  const count = read.rows.length + read.faults.length
  if (count > rowsMax)
    return { rows: [], faults: [{ line: rowsMax + 1, message: t.tooMany(rowsMax) }] }
  if (count === 0) read.faults.push({ line: 1, message: texts().form.required })
  return read
}

/** What the rows name, as the bank has it. */
type Known = {
  accounts: ReadonlyMap<string, Account>
  banks: readonly Pick<BankAccount, 'code' | 'currency'>[]
}

const sidesOf = ({ from, to }: Row): string[] => [from, to]

/** Reads each account of a customer that a row names, one after the other. */
async function readKnown(
  rows: readonly Row[],
  tell: (done: number, all: number) => void,
  signal: AbortSignal,
): Promise<Known> {
  const banks: BankAccount[] = []
  for (const currency of new Set(rows.map(({ item }) => item.currency))) {
    const path = `/admin/bank-accounts?limit=100&currency=${currency}`
    banks.push(...(await readOnce<List<BankAccount>>(path, signal)).items)
  }
  const named = [...new Set(rows.flatMap(sidesOf))].filter((side) => !isCode(side))
  const accounts = new Map<string, Account>()
  for (const [done, side] of named.entries()) {
    tell(done, named.length)
    const account = isId(side)
      ? await readOnce<Account>(`/admin/accounts/${side}`, signal).catch(ignoreMissing)
      : (await readOnce<List<Account>>(`/admin/accounts?iban=${side}`, signal)).items[0]
    if (account) accounts.set(side, account)
  }
  return { accounts, banks }
}

function ignoreMissing(thrown: unknown): undefined {
  if ((thrown as { code?: string }).code !== 'not_found') throw thrown
}

/** What is wrong with a row, given what the bank has; undefined: nothing. */
function findWrong({ from, to, item }: Row, { accounts, banks }: Known): string | undefined {
  const { postings: t, errors, cash, staffAccount } = texts()
  for (const side of [from, to]) {
    if (isCode(side)) {
      const isThere = banks.some((bank) => bank.code === side && bank.currency === item.currency)
      if (!isThere) return t.faults.noBank(side, item.currency)
      continue
    }
    const account = accounts.get(side)
    if (!account) return t.faults.noAccount(side)
    if (account.ownerId === me.value?.id) return staffAccount.own
    if (account.status === 'closed') return errors.account_closed
    if (account.currency !== item.currency) return errors.currency_mismatch
    if (account.status === 'frozen' && side === from) return cash.frozen
  }
  return undefined
}

/** What was checked: kept beside the review, for people. */
export type CheckedRows = {
  /** The IBANs of the customers’ accounts, by identifier. */
  ibans: Record<string, string>
  /** The line of each posting, by its number. */
  lines: Record<string, number>
}

/**
 * The postings of the rows, once each account that they name is known to take them.
 *
 * @param tell how many accounts are looked up
 */
export async function checkRows(
  rows: readonly Row[],
  tell: (done: number, all: number) => void,
  signal: AbortSignal,
): Promise<{ items: PostingItem[]; checked: CheckedRows } | { faults: RowFault[] }> {
  const known = await readKnown(rows, tell, signal)
  const faults = rows.flatMap((row) => {
    const message = findWrong(row, known)
    return message === undefined ? [] : [{ line: row.line, message }]
  })
  if (faults.length > 0) return { faults }
  const idOf = (side: string): string => (known.accounts.get(side) as Account).id
  const items = rows.map(({ from, to, item }) => ({
    ...(isCode(from) ? { fromCode: from } : { fromAccountId: idOf(from) }),
    ...(isCode(to) ? { toCode: to } : { toAccountId: idOf(to) }),
    ...item,
  }))
  return {
    items,
    checked: {
      ibans: Object.fromEntries([...known.accounts.values()].map(({ id, iban }) => [id, iban])),
      lines: Object.fromEntries(rows.map(({ line, item }) => [item.externalId, line])),
    },
  }
}

/** Where the money of a posting goes, as seen by customers. */
export type Direction = 'out' | 'in' | 'between'

export const directionOf = ({ fromAccountId, toAccountId }: PostingItem): Direction =>
  fromAccountId !== undefined ? 'out' : toAccountId !== undefined ? 'in' : 'between'

/** The amounts for each direction and currency. */
export function groupAmounts(items: readonly PostingItem[]) {
  const groups = Map.groupBy(items, (item) => `${directionOf(item)} ${item.currency}`)
  return [...groups].map(([key, some]) => {
    const [direction, currency] = key.split(' ') as [Direction, Currency]
    return { key, direction, currency, amounts: some.map(({ amount }) => amount) }
  })
}

const toCell = (text: string): string =>
  text.startsWith('"') ? `"${text.replaceAll('"', '""')}"` : text

/** The rows of some postings as they are typed, without the numbers that the page gave. */
export const toRows = (items: readonly PostingItem[], ibans: CheckedRows['ibans']): string =>
  items
    .map((item) => {
      const { fromAccountId, fromCode, toAccountId, toCode, amount, currency, kind } = item
      const sides = [fromCode ?? ibans[fromAccountId ?? ''], toCode ?? ibans[toAccountId ?? '']]
      const number = item.externalId.startsWith(ownNumber) ? '' : item.externalId
      return [
        ...sides,
        toTyped(amount, currency),
        currency,
        kind,
        toCell(item.reason),
        number,
      ].join('\t')
    })
    .join('\n')
