// `strongroom client lists …`: many payments from a file, checked, shown, ordered, and reported.
import { readFile, writeFile } from 'node:fs/promises'
import {
  type Bank,
  type CreatePaymentListBody,
  isBankError,
  type PaymentList,
  type PaymentListLine,
} from '../src/index.ts'
import { type Common, connectAgain, findAccount, show, showJson } from './actions.ts'
import { UsageError } from './exit.ts'
import { withSecrets } from './secret.ts'
import { toTable } from './table.ts'

export type SendOptions = Common & { from: string; key?: string }
export type ShowOptions = Common & { refused?: boolean }
export type ExecuteOptions = Common & { key?: string }
export type ReportOptions = Common & { out?: string }

/** The bank takes no larger one. */
const fileBytesMax = 2 * 1024 * 1024

/** ISO 20022 pain.001 as it is, or the body of the API as JSON. */
async function readList(file: string): Promise<CreatePaymentListBody | Uint8Array> {
  const bytes = await readFile(file).catch(() => {
    throw new UsageError(`${file} cannot be read`)
  })
  if (bytes.length > fileBytesMax) throw new UsageError(`${file} is larger than 2 MB`)
  const text = bytes.toString().replace(/^\ufeff/, '')
  if (/^\s*</.test(text)) return bytes
  try {
    return JSON.parse(text) as CreatePaymentListBody
  } catch {
    throw new UsageError(`${file} is neither XML nor JSON`)
  }
}

export async function sendList(file: string, options: SendOptions): Promise<void> {
  const { signal, key: idempotencyKey } = options
  const list = await readList(file)
  const bank = await connectAgain(options)
  const accountId = await findAccount(bank, options.from, options)
  const made = await bank.accounts.createPaymentList(accountId, list, { signal, idempotencyKey })
  if (options.json) return showJson(made)
  const refused = made.lines.filter(({ status }) => status === 'refused')
  show(describeList(made))
  if (refused.length === 0) return
  const rows = refused.map(({ index, refusal, reason }) => [
    toLineNumber(index),
    refusal ?? '',
    reason ?? '',
  ])
  show(`Refused:\n${toTable(['Line', 'Refusal', 'ISO 20022'], rows, ['Line'])}`)
}

/** People count from one. */
const toLineNumber = (index: number): string => String(index + 1)

export async function showList(id: string, options: ShowOptions): Promise<void> {
  const { signal, refused: isRefusedOnly } = options
  const bank = await connectAgain(options)
  const list = await bank.paymentLists.get(id, { signal })
  const query = { limit: 100, ...(isRefusedOnly && { status: 'refused' as const }) }
  const lines = await bank.paymentLists.lines(id, query, { signal }).toArray()
  if (options.json) return showJson({ ...list, lines })
  show(describeList(list))
  const heading = ['Line', 'State', 'Amount', 'Payee', 'IBAN', 'Reference', 'Refusal']
  show(toTable(heading, lines.map(toRow), ['Line', 'Amount']))
}

const toRow = (line: PaymentListLine): string[] => [
  toLineNumber(line.index),
  line.status,
  line.amount,
  line.payee?.name ?? '',
  line.payee?.iban ?? '',
  line.reference,
  line.refusal ?? '',
]

function describeList(list: PaymentList): string {
  const { id, status, ready, all, made, refusedCount, currency, executeOn, hash } = list
  const rows: [string, string][] = [
    ['List', id],
    ['State', executeOn === null ? status : `${status}, for ${executeOn}`],
    ['To be paid', `${ready.count} of ${all.count}: ${ready.total} ${currency}`],
    ['Paid', `${made.count}: ${made.total} ${currency}`],
    ['Refused', String(refusedCount)],
    ['Hash', hash],
  ]
  return rows.map(([name, text]) => `${name.padEnd(12)}${text}\n`).join('')
}

export async function executeList(id: string, options: ExecuteOptions): Promise<void> {
  const bank = await connectAgain(options)
  // A confirmed request is the same one, by its key.
  const idempotencyKey = options.key ?? crypto.randomUUID()
  const execute = (confirmation?: string) =>
    bank.paymentLists.execute(id, { signal: options.signal, idempotencyKey, confirmation })
  const ordered = await execute().catch(async (thrown: unknown) => {
    if (!isBankError(thrown) || thrown.code !== 'confirmation_required') throw thrown
    await confirm(bank, thrown.challenge, options)
    return execute(thrown.challenge.id)
  })
  if (options.json) return showJson(ordered)
  show(describeList(ordered))
}

type Challenge = { id: string; terms?: Readonly<Record<string, unknown>> }

/** What is confirmed, in the order in which a person reads it. */
const shownTerms = {
  payments: 'Payments',
  amount: 'Together',
  currency: 'Currency',
  largest: 'Largest',
  secondLargest: '',
  thirdLargest: '',
  executeOn: 'On',
  linesHash: 'Hash',
} as const

/** Shows the terms on standard error, and sends the code that is typed for them. */
async function confirm(
  bank: Bank,
  { id, terms = {} }: Challenge,
  { signal }: Common,
): Promise<void> {
  const rows = Object.entries(shownTerms).flatMap(([name, label]) =>
    typeof terms[name] === 'string' ? [[label, terms[name]]] : [],
  )
  process.stderr.write(toTable(['', 'You confirm'], rows))
  const code = (await withSecrets(signal, (ask) => ask('Code of your second factor: '))).trim()
  await bank.auth.confirm(id, { code }, { signal })
}

export async function cancelList(id: string, options: Common): Promise<void> {
  await (await connectAgain(options)).paymentLists.cancel(id, { signal: options.signal })
}

export async function reportList(id: string, options: ReportOptions): Promise<void> {
  const { out, signal } = options
  const bank = await connectAgain(options)
  const { bytes } = await bank.paymentLists.getFile(id, { format: 'pain002' }, { signal })
  if (out === undefined) return void process.stdout.write(bytes)
  await writeFile(out, bytes, { mode: 0o600 }).catch((thrown: Error) => {
    throw new UsageError(`The file cannot be written: ${thrown.message}`)
  })
}
