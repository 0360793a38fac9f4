// Files of heads. A file is written whole or not at all, and read as a stream, never into memory.
import { createReadStream, existsSync } from 'node:fs'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { StartupError } from '../domain/startup-error.ts'
import { type Ending, type Head, digestLine, readHeads } from '../ledger/proof/heads.ts'

/** Ends the command with exit code 2 and one line. */
const unusable = (file: string, thrown: unknown): StartupError => {
  const reason = (thrown as Error).message.split('\n', 1)[0]
  return new StartupError(`The file of heads ${file} cannot be used: ${reason}.`)
}

export type EarlierHeads = Ending & {
  /** Reads the heads of the file again. */
  heads(): AsyncIterable<Head>
}

/** Reads the whole file once: a damaged file must not be reported as damaged books. */
export async function openHeads(file: string): Promise<EarlierHeads> {
  const heads = async function* (): AsyncGenerator<Head, Ending> {
    try {
      return yield* readHeads(createReadStream(file, 'utf8'))
    } catch (thrown) {
      throw unusable(file, thrown)
    }
  }
  const once = heads()
  // Ends with the file.
  for (;;) {
    const next = await once.next()
    if (next.done === true) return { ...next.value, heads }
  }
}

export type NewHeads = {
  add(line: string): Promise<void>
  /** Writes everything to disk and puts the file in its place. */
  finish(digest: string): Promise<void>
  /** Leaves the earlier file in place; does nothing after `finish`. */
  discard(): Promise<void>
}

const chunkLengthMin = 65_536

/**
 * @param file the new one is written to `<file>.part`
 * @param isOnly an earlier file is never replaced; otherwise it stays until `finish`
 */
export async function createHeads(file: string, isOnly = false): Promise<NewHeads> {
  const beside = `${file}.part`
  if (isOnly && existsSync(file)) throw unusable(file, new Error('it exists'))
  // Two commands at once would write into each other's file.
  const flags = isOnly ? 'wx' : 'w'
  let handle: FileHandle | undefined = await open(beside, flags, 0o600).catch((thrown: unknown) => {
    throw unusable(file, thrown)
  })
  let chunk = ''
  const write = async (): Promise<void> => {
    await handle?.appendFile(chunk)
    chunk = ''
  }
  return {
    async add(line) {
      chunk += line
      if (chunk.length >= chunkLengthMin) await write()
    },
    async finish(digest) {
      chunk += digestLine(digest)
      await write()
      await handle?.sync()
      await handle?.close()
      handle = undefined
      if (!isOnly) return await rename(beside, file)
      // Unlike a rename, a link does not replace a file that is there by now.
      try {
        await link(beside, file)
      } catch (thrown) {
        throw unusable(file, thrown)
      } finally {
        await rm(beside)
      }
    },
    async discard() {
      if (!handle) return
      await handle.close()
      await rm(beside, { force: true })
    },
  }
}
