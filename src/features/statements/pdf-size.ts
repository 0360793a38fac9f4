// How much may be written as PDF. All entries are read first: a PDF that would take too long is
// refused before its first byte.
import { invalid, refuse } from '../../domain/errors.ts'
import type { Entry, StatementFile } from './rows.ts'

/** In entries: about 700 pages and 9 MB. */
const sizeMax = 10_000

/** The entries of all PDFs being written; each holds about 2 KB. */
const sizeAtOnceMax = 15_000
let sizeAtOnce = 0

/**
 * An entry takes 0.4 ms of a core, a letter that is not of the first font 0.02 ms, in Devanagari
 * words that do not repeat 0.09 ms. So all PDFs at once take 6 s, at worst 13 s, of the 20 s.
 */
const lettersPerEntry = 10
const otherLetters = /[\u0590-\u1dff\u2150-\uffff]/g

const countLetters = ({ counterparty, reference }: Entry): number =>
  `${counterparty?.name} ${reference}`.match(otherLetters)?.length ?? 0

/** The size of a PDF among those that are being written, from 0. */
export function openPdfSize() {
  let size = 0
  function growTo(wanted: number): void {
    if (wanted > sizeMax) {
      const limit = `a PDF has at most ${sizeMax} entries`
      const letters = `less one for ${lettersPerEntry} letters of scripts such as Arabic or Chinese`
      invalid('/query/to', `is after more: ${limit}, ${letters}. CSV and camt.053 have no limit`)
    }
    if (sizeAtOnce + wanted - size > sizeAtOnceMax)
      refuse('unavailable', {
        outage: 'capacity',
        because: 'too many entries are being written as PDF',
      })
    sizeAtOnce += wanted - size
    size = wanted
  }
  return {
    /** Reads all entries. Refuses those that a PDF may not have, or not now. */
    async read({ heading, batches }: StatementFile): Promise<StatementFile> {
      const count = heading.credits.count + heading.debits.count
      growTo(count)
      const held: (readonly Entry[])[] = []
      let letters = 0
      for await (const batch of batches) {
        held.push(batch)
        letters += batch.reduce((sum, entry) => sum + countLetters(entry), 0)
        growTo(count + Math.floor(letters / lettersPerEntry))
      }
      return { heading, batches: release(held) }
    },
    close: () => growTo(0),
  }
}

/** Gives the batches away one by one, so that none is held longer than its reader does. */
function* release(batches: (readonly Entry[])[]): Generator<readonly Entry[]> {
  for (let batch = batches.shift(); batch; batch = batches.shift()) yield batch
}
