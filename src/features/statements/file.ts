// A statement as a file: opens its snapshot, chooses the writer and returns the stream.
import { addAbortSignal, Readable } from 'node:stream'
import type { Database } from '../../database/connect.ts'
import { invalid, refuse } from '../../domain/errors.ts'
import { FileReply } from '../../http/route.ts'
import { renderCamt, requireExpressible } from './camt.ts'
import { renderCsv } from './csv.ts'
import { readStatementFile, type StatementFile, type StatementRequest } from './rows.ts'

type FileFormat = {
  mediaType: string
  extension: string
  write(file: StatementFile): AsyncGenerator<string | Buffer>
}

/** By the value of `format`. */
export const fileFormats = {
  csv: { mediaType: 'text/csv; charset=utf-8; header=present', extension: 'csv', write: renderCsv },
  pdf: { mediaType: 'application/pdf', extension: 'pdf', write: renderPdf },
  camt053: { mediaType: 'application/xml; charset=utf-8', extension: 'xml', write: renderCamt },
} as const satisfies Record<string, FileFormat>

/** Imports the PDF library with the first PDF, which shortens the start of the service. */
async function* renderPdf(file: StatementFile): AsyncGenerator<Buffer> {
  const pdf = await import('./pdf.ts')
  yield* pdf.renderPdf(file)
}

/** About 700 pages, 9 MB and 4 s of CPU. */
const pdfEntriesMax = 10_000

/** Of all PDFs being written: each entry holds about 2 KB. */
const pdfEntriesAtOnceMax = 15_000
let pdfEntriesAtOnce = 0

function requirePrintable(count: number): void {
  if (count > pdfEntriesMax) {
    const limit = `a PDF has at most ${pdfEntriesMax} entries`
    invalid('/query/to', `is after more: ${limit}. CSV and camt.053 have no limit`)
  }
  if (pdfEntriesAtOnce + count > pdfEntriesAtOnceMax) {
    refuse('unavailable', { because: 'too many entries are being written as PDF' })
  }
}

export async function statementFile(
  db: Database,
  format: keyof typeof fileFormats,
  request: StatementRequest,
): Promise<FileReply> {
  const snapshot = await db.openSnapshot(request.callerId)
  try {
    const file = await readStatementFile(snapshot, request)
    const { credits, debits, iban, label } = file.heading
    if (format === 'camt053') requireExpressible(file.heading)
    const pdfEntries = format === 'pdf' ? credits.count + debits.count : 0
    requirePrintable(pdfEntries)
    const { mediaType, extension, write } = fileFormats[format]
    const body = Readable.from(write(file), { objectMode: false, highWaterMark: 65_536 })
    addAbortSignal(snapshot.signal, body)
    pdfEntriesAtOnce += pdfEntries
    body.once('close', () => {
      pdfEntriesAtOnce -= pdfEntries
      snapshot.close()
    })
    return new FileReply(mediaType, `statement-${iban.slice(-4)}-${label}.${extension}`, body)
  } catch (thrown) {
    snapshot.close()
    throw thrown
  }
}
