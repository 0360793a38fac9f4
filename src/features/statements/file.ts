// A statement as a file: opens its snapshot, chooses the writer and returns the stream.
import { addAbortSignal, Readable } from 'node:stream'
import type { Database } from '../../database/connections/connect.ts'
import { FileReply } from '../../http/route.ts'
import { renderCamt, requireExpressible } from './camt.ts'
import { renderCsv } from './csv.ts'
import { openPdfSize } from './pdf-size.ts'
import { endingOf, readStatementFile, type StatementFile, type StatementRequest } from './rows.ts'

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

export async function statementFile(
  db: Database,
  format: keyof typeof fileFormats,
  request: Omit<StatementRequest, 'tellsDetails'>,
): Promise<FileReply> {
  const snapshot = await db.openSnapshot(request.callerId)
  const pdfSize = openPdfSize()
  function close(): void {
    pdfSize.close()
    snapshot.close()
  }
  try {
    const tellsDetails = format === 'camt053'
    const read = await readStatementFile(snapshot, { ...request, tellsDetails })
    const name = `statement-${endingOf(read.heading)}-${read.heading.label}`
    if (format === 'camt053') requireExpressible(read.heading)
    const file = format === 'pdf' ? await pdfSize.read(read) : read
    const { mediaType, extension, write } = fileFormats[format]
    const body = Readable.from(write(file), { objectMode: false, highWaterMark: 65_536 })
    addAbortSignal(snapshot.signal, body)
    body.once('close', close)
    return new FileReply(mediaType, `${name}.${extension}`, body)
  } catch (thrown) {
    close()
    throw thrown
  }
}
