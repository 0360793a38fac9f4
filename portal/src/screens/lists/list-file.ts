// A file of payments: CSV with a fixed head becomes the body of a list, each fault with its line;
// XML goes to the bank as it is.
import type { CreatePaymentListBody } from '../../state/types.ts'

/** What is wrong in a line of a CSV file. */
export type FileFault = {
  line: number
  what: 'head' | 'cells' | 'name' | 'iban' | 'amount' | 'quote'
}

export const csvHead = 'name;iban;amount;reference'
const cellsOf = csvHead.split(';').length

type Item = CreatePaymentListBody['items'][number]

type ReadFile =
  | { body: Blob; faults?: undefined }
  /** `lines` are those of the items. */
  | { items: Item[]; lines: number[]; faults?: undefined }
  | { faults: FileFault[] }

/** More are not shown. */
const faultsMax = 100
const nameMax = 70

/** The check digits of an IBAN (ISO 7064, MOD 97-10): 02 to 98, so none stands for another one. */
export function isIban(text: string): boolean {
  if (!/^[A-Z]{2}(?!0[01]|99)\d{2}[A-Z0-9]{11,30}$/.test(text)) return false
  const digits = (text.slice(4) + text.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  )
  let rest = 0
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}

/** The cells of each line (RFC 4180); undefined: a quote has no end. */
export function toLines(text: string, separator: string): string[][] | undefined {
  const lines: string[][] = [[]]
  let [cell, isQuoted] = ['', false]
  const endCell = () => {
    lines.at(-1)?.push(cell.trim())
    cell = ''
  }
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    if (isQuoted) {
      if (sign !== '"') cell += sign
      else if (text.charAt(at + 1) === '"') cell += text.charAt(++at)
      else isQuoted = false
    } else if (sign === '"' && cell === '') isQuoted = true
    else if (sign === separator) endCell()
    else if (sign === '\n') {
      endCell()
      lines.push([])
    } else if (sign !== '\r') cell += sign
  }
  if (isQuoted) return undefined
  endCell()
  return lines
}

function readCsv(text: string): ReadFile {
  const head = text.split('\n', 1)[0] ?? ''
  const separator = head.includes(';') ? ';' : ','
  const rows = toLines(text, separator)
  if (!rows) return { faults: [{ line: 1, what: 'quote' }] }
  const [first = [], ...rest] = rows
  if (first.join(';').toLowerCase() !== csvHead) return { faults: [{ line: 1, what: 'head' }] }
  const faults: FileFault[] = []
  const items: Item[] = []
  const lines: number[] = []
  for (const [index, cells] of rest.entries()) {
    if (cells.length === 1 && cells[0] === '') continue
    const line = index + 2
    if (cells.length !== cellsOf) {
      faults.push({ line, what: 'cells' })
      continue
    }
    const [name = '', typed = '', figure = '', reference = ''] = cells
    const iban = typed.replaceAll(' ', '').toUpperCase()
    const amount = separator === ';' ? figure.replace(',', '.') : figure
    if (name === '' || name.length > nameMax) faults.push({ line, what: 'name' })
    if (!isIban(iban)) faults.push({ line, what: 'iban' })
    if (!/^(?:0|[1-9]\d{0,14})(?:\.\d{1,3})?$/.test(amount) || Number(amount) === 0) {
      faults.push({ line, what: 'amount' })
    }
    items.push({ name, iban, amount, ...(reference !== '' && { reference }) })
    lines.push(line)
  }
  if (items.length === 0 && faults.length === 0) faults.push({ line: 2, what: 'cells' })
  return faults.length > 0 ? { faults: faults.slice(0, faultsMax) } : { items, lines }
}

export async function readListFile(file: Blob): Promise<ReadFile> {
  const text = (await file.text()).replace(/^\ufeff/, '')
  if (/^\s*</.test(text)) return { body: new Blob([file], { type: 'application/xml' }) }
  return readCsv(text)
}
