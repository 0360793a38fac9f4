// Reads a file of lines piece by piece: neither a large file nor an endless line fills the memory.
import { createReadStream } from 'node:fs'
import { StartupError } from '../../domain/startup-error.ts'

/** No line of the form is as long. */
const lineBytesMax = 16_384

/** A line without its line feed; undefined: it is too long, and its bytes are not kept. */
export type ReadLine = { number: number; bytes: Buffer | undefined }

const lineFeed = 0x0a

/**
 * The lines of a file in their order. A file that is missing has none.
 *
 * @param onBytes called with the bytes of each piece that was read
 */
export async function* readLines(
  path: string,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<ReadLine> {
  let number = 0
  let rest: Buffer[] = []
  let restBytes = 0
  const take = (last: Buffer): ReadLine => {
    number += 1
    const isLong = restBytes + last.length > lineBytesMax
    const bytes = isLong ? undefined : Buffer.concat([...rest, last])
    rest = []
    restBytes = 0
    return { number, bytes }
  }
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      onBytes(chunk.length)
      let begin = 0
      let end = chunk.indexOf(lineFeed)
      while (end !== -1) {
        yield take(chunk.subarray(begin, end))
        begin = end + 1
        end = chunk.indexOf(lineFeed, begin)
      }
      const left = chunk.subarray(begin)
      restBytes += left.length
      if (restBytes <= lineBytesMax && left.length > 0) rest.push(left)
    }
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    if (code === 'ENOENT') return
    if (code === undefined) throw thrown
    throw new StartupError(`${path} cannot be read (${code}).`)
  }
  if (restBytes > 0) yield take(Buffer.alloc(0))
}
