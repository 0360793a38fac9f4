// The lines of the files of an archive. Each is an object of rows as texts, as PostgreSQL writes
// and reads them.
import { createHash, hash } from 'node:crypto'
import { currencies, type Currency } from '../../domain/money.ts'
import { digestLinks, joinTerms, readCommitment } from '../rules/hash-chain.ts'
import type { TransferDetails } from '../rules/movement.ts'
import { toLinks } from '../proof/links.ts'
import type { Entry, Flaw } from '../proof/verify-sql.ts'

/** A row of a table, by the names of its columns. */
export type TextRow = Readonly<Record<string, string | null>>

/** A line of `entries.jsonl`: an entry with all that its hash is over. */
export type EntryLine = {
  entry: TextRow
  transfer: TextRow | null
  details: TextRow | null
  links: TextRow
}

/** A line of `transfers.jsonl`, which leave the database, or of `kept.jsonl`, which stay. */
export type TransferLine = {
  transfer: TextRow
  details: TextRow | null
  /** What finds it in the search of payments. */
  search: readonly string[]
  /** Its row of `archived_terms` from an earlier archive: its entries are in that one. */
  kept: TextRow | null
  links: TextRow
  /** Its marks that are in this archive or an earlier one, with their links. */
  sentSeq: string | null
  sentLinks: TextRow
  settledSeq: string | null
  settledLinks: TextRow
}

/** A line of `heads.jsonl`: where the archive begins and ends in an account. */
export type HeadState = {
  seq: string
  hash: string
  balance: string
  markCount: string
  at: string
}
export type HeadLine = {
  accountId: string
  kind: string
  currency: string
  /** Null: with the first entry of the account. */
  start: HeadState | null
  end: HeadState
}

export class NoLine extends Error {}

const text = (row: TextRow, name: string): string => {
  const value = row[name]
  if (typeof value === 'string') return value
  throw new NoLine(`a row has no ${name}`)
}
const textOrNull = (row: TextRow, name: string): string | null => row[name] ?? null
const int = (row: TextRow, name: string): bigint => BigInt(text(row, name))
const time = (row: TextRow, name: string): Date => new Date(text(row, name))
/** Bytes as PostgreSQL writes them. */
const hex = (row: TextRow, name: string): string => text(row, name).replace(/^\\x/, '')
const hexOrNull = (row: TextRow, name: string): string | null =>
  textOrNull(row, name)?.replace(/^\\x/, '') ?? null

const currencyOf = (row: TextRow): Currency => {
  const found = text(row, 'currency')
  return currencies.find((each) => each === found) ?? badLine(found)
}
const badLine = (what: string): never => {
  throw new NoLine(`${what} is no currency`)
}

const toDetails = (row: TextRow | null): TransferDetails => ({
  endToEndId: row && textOrNull(row, 'end_to_end_id'),
  bic: row && textOrNull(row, 'bic'),
  reasonCode: row && textOrNull(row, 'reason_code'),
  original: row && textOrNull(row, 'original'),
  payeeResult: row && textOrNull(row, 'payee_result'),
  payeeName: row && textOrNull(row, 'payee_name'),
  payeeAccepted: row && toBool(textOrNull(row, 'payee_accepted')),
})
const toBool = (value: string | null): boolean | null => (value === null ? null : value === 'true')

const toTerms = (row: TextRow) => ({
  id: text(row, 'id'),
  kind: text(row, 'kind'),
  fromAccountId: text(row, 'from_account_id'),
  toAccountId: text(row, 'to_account_id'),
  amount: int(row, 'amount'),
  currency: currencyOf(row),
  beneficiaryId: textOrNull(row, 'beneficiary_id'),
  reversalOf: textOrNull(row, 'reversal_of'),
  callerId: text(row, 'caller_id'),
  sessionId: text(row, 'session_id'),
  createdAt: time(row, 'created_at'),
})

const toTexts = (row: TextRow) => ({
  reference: textOrNull(row, 'reference') ?? '',
  counterpartyName: textOrNull(row, 'counterparty_name'),
  counterpartyIban: textOrNull(row, 'counterparty_iban'),
})

/** The commitment to the texts of a transfer, whether they are erased or not. */
export const commitmentOf = ({ transfer, details }: Pick<TransferLine, 'transfer' | 'details'>) =>
  readCommitment(
    {
      ...toTexts(transfer),
      salt: hexOrNull(transfer, 'salt'),
      commitment: hexOrNull(transfer, 'commitment'),
    },
    toDetails(details),
  )

/** SHA-256, hexadecimal, over the terms of a transfer as the chain holds them. */
export const digestTerms = (terms: Parameters<typeof joinTerms>[0], commitment: string): string =>
  hash('sha256', joinTerms(terms, commitment), 'hex')

export const termsDigestOf = (line: Pick<TransferLine, 'transfer' | 'details'>): string =>
  digestTerms(toTerms(line.transfer), commitmentOf(line))

const readLinks = (links: TextRow) => ({
  numberedBy: textOrNull(links, 'numberedBy'),
  externalId: textOrNull(links, 'externalId'),
  bodyHash: textOrNull(links, 'bodyHash'),
  paymentId: textOrNull(links, 'paymentId'),
})

/** SHA-256, hexadecimal, over the links of an entry of a transfer; null: it has none. */
export function linksDigestOf(links: TextRow, transfer: TextRow): string | null {
  const found = toLinks({ ...readLinks(links), callerId: text(transfer, 'caller_id') })
  return found ? digestLinks(found) : null
}

/** A mark of a transfer that is in this archive. */
export type MarkLine = { kind: string; id: string; seq: string; links: string | null }

/** Those of its marks that no earlier archive has. */
export function newMarksOf(line: TransferLine): MarkLine[] {
  const { transfer, kept, sentSeq, sentLinks, settledSeq, settledLinks } = line
  const [id, marks]: [string, MarkLine[]] = [idOf(line), []]
  const add = (kind: string, seq: string | null, links: TextRow, before?: string | null) => {
    if (seq === null || typeof before === 'string') return
    marks.push({ kind, id, seq, links: linksDigestOf(links, transfer) })
  }
  add('sending', sentSeq, sentLinks, kept?.['sent_seq'])
  add('settlement', settledSeq, settledLinks, kept?.['settled_seq'])
  return marks
}

/** The commitment to the texts of an entry after an erasure; undefined: its chain holds none. */
export function ownCommitmentOf({ entry, transfer }: EntryLine): string | undefined {
  if (transfer === null || text(entry, 'texts_in_chain') !== 'true') return undefined
  const salt = hexOrNull(transfer, 'salt')
  return readCommitment({ ...toTexts(entry), salt, commitment: hexOrNull(entry, 'commitment') })
}

export const placeOf = ({ entry }: EntryLine) => ({
  accountId: text(entry, 'account_id'),
  seq: int(entry, 'seq'),
  transferId: text(entry, 'transfer_id'),
  hash: hex(entry, 'hash'),
})
export const isSent = ({ transfer }: TransferLine): boolean =>
  (transfer['sent_seq'] ?? null) !== null
export const idOf = ({ transfer }: Pick<TransferLine, 'transfer'>): string => text(transfer, 'id')

/** An entry as `verify` reads it from the database. */
export function toEntry(line: EntryLine): Entry {
  const { entry, links } = line
  const transfer = line.transfer ?? entry
  const isMissing = line.transfer === null
  const terms = isMissing ? undefined : toTerms(transfer)
  const accountId = text(entry, 'account_id')
  const own = toTexts(entry)
  return {
    accountId,
    seq: int(entry, 'seq'),
    transferId: text(entry, 'transfer_id'),
    kind: text(entry, 'kind'),
    amount: int(entry, 'amount'),
    balanceAfter: int(entry, 'balance_after'),
    createdAt: time(entry, 'created_at'),
    hash: hex(entry, 'hash'),
    flaw: terms ? findFlaw(line.entry, transfer) : ('missing' satisfies Flaw),
    otherAccountId:
      terms?.fromAccountId === accountId ? terms.toAccountId : (terms?.fromAccountId ?? accountId),
    currency: terms?.currency ?? 'EUR',
    ...toTexts(transfer),
    beneficiaryId: terms?.beneficiaryId ?? null,
    reversalOf: terms?.reversalOf ?? null,
    callerId: terms?.callerId ?? accountId,
    sessionId: terms?.sessionId ?? accountId,
    ...(toDetails(line.details) as Required<TransferDetails>),
    salt: isMissing ? null : hexOrNull(transfer, 'salt'),
    commitment: isMissing ? null : hexOrNull(transfer, 'commitment'),
    textsInChain: text(entry, 'texts_in_chain') === 'true',
    ownReference: textOrNull(entry, 'reference'),
    ownName: own.counterpartyName,
    ownIban: own.counterpartyIban,
    ownCommitment: hexOrNull(entry, 'commitment'),
    ...readLinks(links),
    otherIban: textOrNull(links, 'otherIban'),
  }
}

/** As the statement of `verify` compares them. */
function findFlaw(entry: TextRow, transfer: TextRow): Flaw | null {
  const kind = text(entry, 'kind')
  const [accountId, seq] = [text(entry, 'account_id'), text(entry, 'seq')]
  const amount = int(entry, 'amount')
  const isTo = text(transfer, 'to_account_id') === accountId
  const isFrom = text(transfer, 'from_account_id') === accountId
  if (kind === 'settlement') {
    return isTo && transfer['settled_seq'] === seq && amount === 0n ? null : 'settlement'
  }
  if (kind === 'sending') {
    return isTo && transfer['sent_seq'] === seq && amount === 0n ? null : 'sending'
  }
  const isAtPlace = (isFrom && transfer['from_seq'] === seq) || (isTo && transfer['to_seq'] === seq)
  if (!isAtPlace) return 'place'
  const isRightAmount = (amount < 0n ? -amount : amount) === int(transfer, 'amount')
  if (!isRightAmount || amount < 0n !== isFrom) return 'amount'
  if (kind !== text(transfer, 'kind')) return 'kind'
  return text(entry, 'created_at') === text(transfer, 'created_at') ? null : 'time'
}

const passing: readonly string[] = ['status', 'sent_seq', 'settled_seq']
/** Status and marks may change between the exports of two entries; the chains have the marks. */
export const withoutState = (transfer: TextRow) =>
  Object.entries(transfer).filter(([column]) => !passing.includes(column))

const modulus = 2n ** 256n

/**
 * The sum of the hashes of items, in whatever order. That of transfers is equal of the entries that
 * debit, of those that credit and of the transfers themselves only if each is there once.
 */
export function openSum() {
  let sum = 0n
  return {
    add(item: unknown): void {
      const digest = createHash('sha256').update(JSON.stringify(item)).digest('hex')
      sum = (sum + BigInt(`0x${digest}`)) % modulus
    },
    end: (): bigint => sum,
  }
}
