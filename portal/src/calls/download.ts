// Files of the API. The page fetches them itself: a refusal is told in the page, and a file that
// was cut on its way is never saved as if it were whole.
import { retryRead, request, readWhole } from './call.ts'
import { language } from '../texts/language.ts'

/** Saves what the API answers on `path` under that name. Throws a `Failure`. */
export async function download(path: string, name: string): Promise<void> {
  const file = await retryRead(async () => {
    const response = await request({ method: 'GET', path })
    return readWhole(response.blob())
  })
  saveFile(file, name)
}

/** Saves a file under that name. */
export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has to open the file before its address goes.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** The part of a query that chooses a file. Spreadsheets mostly speak the language of the page. */
export const formatQuery = (format: string): string =>
  format === 'csv' ? `format=csv&spreadsheet=${language()}` : `format=${format}`
