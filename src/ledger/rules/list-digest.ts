// The digest of a payment list: what its owner confirms in place of up to a thousand lines, and
// what proves that none of them was changed, added or left out since.
import { createHash, hash } from 'node:crypto'
import { type RowOf, wordOf } from '../../database/statements/statement.ts'

/** How a list was sent. */
export const listForms = ['json', 'pain.001.001.03', 'pain.001.001.09'] as const

/** What of a list never changes. The salt is gone once its texts are erased. */
export const digestedListColumns = {
  salt: 'bytea?',
  id: 'uuid',
  accountId: 'uuid',
  makerId: 'uuid',
  messageId: 'text?',
  form: wordOf(listForms),
  executeOn: 'text?',
  createdAt: 'timestamptz',
  lineCount: 'int4',
  total: 'int8',
  readyCount: 'int4',
  readyTotal: 'int8',
} as const
export type DigestedList = RowOf<typeof digestedListColumns>

/** What of a line never changes. */
export const digestedLineColumns = {
  place: 'int4',
  toAccountId: 'uuid?',
  payeeName: 'text?',
  payeeIban: 'text?',
  reference: 'text',
  endToEndId: 'text?',
  blockId: 'text?',
  amount: 'int8',
  /** Why it was refused when the list was checked; null: it was not. */
  earlyRefusal: 'text?',
} as const
export type DigestedLine = RowOf<typeof digestedLineColumns>

const lineText = (line: DigestedLine): string =>
  JSON.stringify([
    line.place,
    line.toAccountId,
    line.payeeName,
    line.payeeIban,
    line.reference,
    line.endToEndId,
    line.blockId,
    line.amount.toString(),
    line.earlyRefusal,
  ])

const listText = (list: DigestedList): string =>
  JSON.stringify([
    list.salt?.toString('hex') ?? null,
    list.id,
    list.accountId,
    list.makerId,
    list.messageId,
    list.form,
    list.executeOn,
    list.createdAt.getTime(),
    list.lineCount,
    list.total.toString(),
    list.readyCount,
    list.readyTotal.toString(),
  ])

/** SHA-256 over the list and its lines, one after another. */
export function openListDigest(list: DigestedList) {
  const digest = createHash('sha256').update(listText(list))
  return {
    add(line: DigestedLine): void {
      digest.update(hash('sha256', lineText(line), 'buffer'))
    },
    end: (): Buffer => digest.digest(),
  }
}

export function digestList(list: DigestedList, lines: readonly DigestedLine[]): Buffer {
  const { add, end } = openListDigest(list)
  lines.forEach(add)
  return end()
}
