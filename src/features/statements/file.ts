// A statement as a file: opens the snapshot it is read from, picks its writer, gives the stream.
import { addAbortSignal, Readable } from 'node:stream'
import type { Database } from '../../database/connect.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { FileReply } from '../../http/route.ts'
import { renderCamt, requireExpressible } from './camt.ts'
import { renderCsv } from './csv.ts'
import { type Period, readStatementFile, type StatementFile } from './rows.ts'

type Writer = (file: StatementFile) => AsyncGenerator<string | Buffer>
type Form = { mediaType: string; extension: string; write: Writer }

/** The forms by the word that `format` names them with. */
export const forms = {
  csv: { mediaType: 'text/csv; charset=utf-8; header=present', extension: 'csv', write: renderCsv },
  pdf: { mediaType: 'application/pdf', extension: 'pdf', write: pdfWhenAsked },
  camt053: { mediaType: 'application/xml; charset=utf-8', extension: 'xml', write: renderCamt },
} as const satisfies Record<string, Form>

export type FormName = keyof typeof forms

/** The library of PDF is loaded for the first one: without it a start is shorter. */
async function* pdfWhenAsked(file: StatementFile): AsyncGenerator<Buffer> {
  const { renderPdf } = await import('./pdf.ts')
  yield* renderPdf(file)
}

/** Some 9,000 pages, 90 MB and 7 s of a processor. */
const pdfEntriesMax = 100_000

/** In all PDFs written at once: half of what a quiet machine writes in the time of a snapshot. */
const pdfEntriesAtOnceMax = 150_000
let pdfEntriesAtOnce = 0

function requirePrintable(count: number): void {
  if (count > pdfEntriesMax) {
    invalid('/query/to', `has more than ${pdfEntriesMax} entries before it: too many for a PDF`)
  }
  if (pdfEntriesAtOnce + count > pdfEntriesAtOnceMax) {
    refuse('unavailable', { because: 'too many entries are being written as PDF' })
  }
}

type StatementRequest = Period & {
  accountId: string
  callerId: string
  bankName: string
  now: number
  requestId: string
}

export async function statementFile(
  db: Database,
  name: FormName,
  asked: StatementRequest,
): Promise<FileReply> {
  const snapshot = await db.openSnapshot(asked.callerId)
  try {
    const file = await readStatementFile(snapshot, asked)
    if (name === 'camt053') requireExpressible(file.heading)
    const { credits, debits } = file.heading
    const pdfEntries = name === 'pdf' ? credits.count + debits.count : 0
    requirePrintable(pdfEntries)
    const { mediaType, extension, write } = forms[name]
    const body = Readable.from(write(file), { objectMode: false, highWaterMark: 65_536 })
    addAbortSignal(snapshot.signal, body)
    pdfEntriesAtOnce += pdfEntries
    body.once('close', () => {
      pdfEntriesAtOnce -= pdfEntries
      snapshot.close()
    })
    const { iban, label } = file.heading
    return new FileReply(mediaType, `statement-${iban.slice(-4)}-${label}.${extension}`, body)
  } catch (thrown) {
    snapshot.close()
    throw thrown
  }
}
