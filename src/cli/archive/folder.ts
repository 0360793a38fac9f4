// The folder of an archive: files of JSON lines, and a manifest with their SHA-256, which is
// written last. `sha256sum` repeats each of them.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { StartupError } from '../../domain/startup-error.ts'
import type { ArchiveLines } from '../../ledger/archive/prove-archive.ts'
import { makeFolder } from '../backup-folder.ts'

const format = 'strongroom-archive-1'
export const archiveFiles = ['heads', 'entries', 'transfers', 'kept'] as const
export type ArchiveFile = (typeof archiveFiles)[number]
const manifestName = 'manifest.json'
const fileName = (file: ArchiveFile): string => `${file}.jsonl`

type FileSum = { lines: number; sha256: string }
export type Manifest = {
  format: typeof format
  id: number
  /** RFC 3339: the first moment that is not in it. */
  until: string
  /** When it was begun to be written. */
  madeAt: string
  /** SHA-256 of the manifest of the archive before it. */
  previous: string | null
  files: Record<ArchiveFile, FileSum>
}
export type ArchiveFolder = { path: string; name: string; manifest: Manifest; digest: string }

export const unusable = (path: string, reason: string): StartupError =>
  new StartupError(`The archive ${path} cannot be used: ${reason}.`)

const chunkLengthMin = 65_536

async function createFile(path: string) {
  const handle: FileHandle = await open(path, 'wx', 0o600)
  const hash = createHash('sha256')
  let chunk = ''
  let lines = 0
  const write = async (): Promise<void> => {
    hash.update(chunk)
    await handle.appendFile(chunk)
    chunk = ''
  }
  return {
    async add(line: string): Promise<void> {
      chunk += `${line}\n`
      lines++
      if (chunk.length >= chunkLengthMin) await write()
    },
    async finish(): Promise<FileSum> {
      await write()
      await handle.sync()
      await handle.close()
      return { lines, sha256: hash.digest('hex') }
    },
    close: () => handle.close().catch(() => {}),
  }
}
export type NewFile = Awaited<ReturnType<typeof createFile>>

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path)
  await handle.sync()
  await handle.close()
}

/**
 * Writes the folder, which must not exist, as a whole: until it is on disk its name ends with
 * `.part`, and what an earlier run has left under that name is removed.
 */
export async function writeFolder(
  path: string,
  about: Pick<Manifest, 'id' | 'until' | 'madeAt' | 'previous'>,
  write: (files: Record<ArchiveFile, NewFile>) => Promise<void>,
): Promise<ArchiveFolder> {
  await requireAbsent(path)
  const part = `${path}.part`
  await rm(part, { recursive: true, force: true })
  await makeFolder('archive', part)
  const opened: NewFile[] = []
  try {
    const create = async (file: ArchiveFile) => {
      const made = await createFile(join(part, fileName(file)))
      opened.push(made)
      return made
    }
    const files = {
      heads: await create('heads'),
      entries: await create('entries'),
      transfers: await create('transfers'),
      kept: await create('kept'),
    } satisfies Record<ArchiveFile, NewFile>
    await write(files)
    const sums = {
      heads: await files.heads.finish(),
      entries: await files.entries.finish(),
      transfers: await files.transfers.finish(),
      kept: await files.kept.finish(),
    } satisfies Record<ArchiveFile, FileSum>
    const manifest: Manifest = { format, ...about, files: sums }
    const handle = await open(join(part, manifestName), 'wx', 0o600)
    await handle.writeFile(`${JSON.stringify(manifest, undefined, 2)}\n`)
    await handle.sync()
    await handle.close()
    await syncFolder(part)
    await rename(part, path)
    await syncFolder(dirname(path))
  } catch (thrown) {
    await Promise.all(opened.map((file) => file.close()))
    await rm(part, { recursive: true, force: true })
    throw thrown
  }
  return openFolder(path)
}

async function requireAbsent(path: string): Promise<void> {
  const isThere = await open(path).then(
    (handle) => handle.close().then(() => true),
    () => false,
  )
  if (isThere) throw unusable(path, 'it exists already')
}

/** Whether there is a whole archive. */
export const isFolder = (path: string): Promise<boolean> =>
  readFile(join(path, manifestName)).then(
    () => true,
    () => false,
  )

/** Reads the manifest, and each file once: a damaged one must not be reported as damaged books. */
export async function openFolder(path: string): Promise<ArchiveFolder> {
  const text = await readFile(join(path, manifestName)).catch((thrown: NodeJS.ErrnoException) => {
    throw unusable(path, thrown.code === 'ENOENT' ? 'it has no manifest' : thrown.message)
  })
  const manifest = parseManifest(text.toString(), path)
  const digest = createHash('sha256').update(text).digest('hex')
  const folder = { path, name: basename(path), manifest, digest }
  for (const file of archiveFiles) await checkFile(folder, file)
  return folder
}

function parseManifest(text: string, path: string): Manifest {
  try {
    const parsed = JSON.parse(text) as Manifest
    const isWhole =
      parsed.format === format &&
      Number.isInteger(parsed.id) &&
      [parsed.until, parsed.madeAt].every((time) => !Number.isNaN(Date.parse(time))) &&
      archiveFiles.every((file) => typeof parsed.files[file].sha256 === 'string')
    if (isWhole) return parsed
  } catch {}
  throw unusable(path, 'its manifest is not one of this version')
}

async function checkFile({ path, manifest }: ArchiveFolder, file: ArchiveFile): Promise<void> {
  const hash = createHash('sha256')
  const read = createReadStream(join(path, fileName(file)))
  try {
    for await (const chunk of read as AsyncIterable<Buffer>) hash.update(chunk)
  } catch (thrown) {
    throw unusable(path, `${fileName(file)} cannot be read (${(thrown as Error).message})`)
  }
  if (hash.digest('hex') === manifest.files[file].sha256) return
  throw unusable(path, `${fileName(file)} is not as it was written`)
}

const lineFeed = 0x0a

/** A line with where it begins, and where the next one does. */
export type PlacedLine = { text: string; begin: number; end: number }

/** Lines of a file, from a place on. */
export async function* readLines(
  { path }: Pick<ArchiveFolder, 'path'>,
  file: ArchiveFile,
  start = 0,
): AsyncGenerator<PlacedLine> {
  let rest: Buffer = Buffer.alloc(0)
  let begin = start
  const read = createReadStream(join(path, fileName(file)), { start, highWaterMark: 1 << 18 })
  for await (const chunk of read as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let from = 0
    for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, from)) {
      const end = begin + at + 1 - from
      yield { text: bytes.toString('utf8', from, at), begin, end }
      begin = end
      from = at + 1
    }
    rest = bytes.subarray(from)
  }
}

/** The line that begins there. */
export async function readLineAt(folder: ArchiveFolder, file: ArchiveFile, begin: number) {
  for await (const { text } of readLines(folder, file, begin)) return text
  throw unusable(folder.path, `${fileName(file)} ends before its line at ${begin}`)
}

/** The lines of all files, parsed. */
export function linesOf(folder: Pick<ArchiveFolder, 'path'>): ArchiveLines {
  const parsed = async function* <Line>(file: ArchiveFile): AsyncGenerator<Line> {
    for await (const { text } of readLines(folder, file)) yield JSON.parse(text) as Line
  }
  return {
    heads: parsed('heads'),
    entries: parsed('entries'),
    transfers: parsed('transfers'),
    kept: parsed('kept'),
  }
}
