// Files of heads: one is written whole or not at all, and read twice, never into memory.
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { StartupError } from '../domain/startup-error.ts'
import { type Head, digestLine, readHeads } from '../ledger/heads.ts'

/** Exit code 2, and one line that says why. */
const unusable = (file: string, thrown: unknown): StartupError => {
  const because = (thrown as Error).message.split('\n', 1)[0]
  return new StartupError(`The file of heads ${file} cannot be used: ${because}.`)
}

export type EarlierHeads = {
  digest: string
  /** The heads once more, each when it is asked for. */
  heads(): AsyncIterable<Head>
}

/** Reads the whole file once, so that a damaged one is not taken for damaged books. */
export async function openHeads(file: string): Promise<EarlierHeads> {
  const heads = async function* (): AsyncGenerator<Head, string> {
    try {
      return yield* readHeads(createReadStream(file, 'utf8'))
    } catch (thrown) {
      throw unusable(file, thrown)
    }
  }
  const once = heads()
  for (;;) {
    const next = await once.next()
    if (next.done === true) return { digest: next.value, heads }
  }
}

export type NewHeads = {
  add(line: string): Promise<void>
  /** The file takes its place with all that was added, durably. */
  finish(digest: string): Promise<void>
  /** Leaves what was there before; does nothing once it is finished. */
  discard(): Promise<void>
}

const chunkLength = 65_536

/** @param file is written beside itself first: an older one stays until the new one is whole */
export async function createHeads(file: string): Promise<NewHeads> {
  const beside = `${file}.part`
  let handle: FileHandle | undefined = await open(beside, 'w', 0o600).catch((thrown: unknown) => {
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
      if (chunk.length >= chunkLength) await write()
    },
    async finish(digest) {
      chunk += digestLine(digest)
      await write()
      await handle?.sync()
      await handle?.close()
      handle = undefined
      await rename(beside, file)
    },
    async discard() {
      if (!handle) return
      await handle.close()
      await rm(beside, { force: true })
    },
  }
}
