// The file that a `…_FILE` setting names. Secret stores and orchestrators hand secrets out as
// files: no child process inherits them, and no list of processes shows them.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { Unusable } from './values.ts'

/** More than any secret: a path that names a log or a dump by mistake is not read whole. */
const bytesMax = 16_384

/**
 * The text of the file without one line break at its end, which editors add. Links are followed.
 *
 * @throws {Unusable} when there is none, or it is no such file, empty, too large, or one that every
 * user of the machine can read or change (CWE-732)
 */
export function readSecretFile(path: string): string {
  const file = open(path)
  try {
    const { mode, size } = fstatSync(file)
    if ((mode & constants.S_IFMT) === constants.S_IFDIR) throw new Unusable('names a folder')
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw new Unusable('names no plain file')
    if ((mode & 0o006) !== 0) {
      throw new Unusable(
        'names a file that every user can read or change; give it the mode 0400 or 0440',
      )
    }
    if (size > bytesMax) throw new Unusable(`names a file of more than ${bytesMax / 1024} KB`)
    const text = decode(readAll(file)).replace(/\r?\n$/, '')
    if (text === '') throw new Unusable('names a file that is empty')
    return text
  } catch (thrown) {
    throw toUnusable(thrown)
  } finally {
    closeSync(file)
  }
}

function open(path: string): number {
  try {
    // Without the flag, a pipe that nothing writes to would hold the start.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (thrown) {
    throw toUnusable(thrown)
  }
}

/** Not only opening fails: a file on a network is lost later (ESTALE), a disk gives EIO. */
function toUnusable(thrown: unknown): Unusable {
  if (thrown instanceof Unusable) return thrown
  const { code = 'unknown error' } = thrown as NodeJS.ErrnoException
  const isMissing = code === 'ENOENT' || code === 'ENOTDIR'
  return new Unusable(isMissing ? 'names a file that is missing' : `cannot be read (${code})`)
}

/** Some file systems give the size 0 for a file with content. */
function readAll(file: number): Buffer {
  const bytes = Buffer.alloc(bytesMax + 1)
  let length = 0
  // Ends at the end of the file, or when it is longer than allowed.
  for (;;) {
    const count = readSync(file, bytes, length, bytes.length - length, null)
    length += count
    if (length > bytesMax) throw new Unusable(`names a file of more than ${bytesMax / 1024} KB`)
    if (count === 0) return bytes.subarray(0, length)
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Unusable('names a file that is no UTF-8 text')
  }
}
