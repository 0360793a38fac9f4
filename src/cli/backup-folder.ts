// The folder of a backup. SHA256SUMS is written last and names every file: a backup without it was
// cut off, and one that differs from it is damaged. `sha256sum -c SHA256SUMS` checks it too.
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StartupError } from '../domain/startup-error.ts'

/** What a bank needs to start again besides its data files. */
export type BackupFacts = {
  format: 1
  madeAt: string
  /** The major version. */
  postgresql: string
  /** The password of the owner of the database. */
  password: string
}

export const archiveName = 'postgres.tar'
const factsName = 'bank.json'
const sumsName = 'SHA256SUMS'

/** Other names would need quotes in SHA256SUMS. */
export const isBackupName = (name: string): boolean => /^(tls\/)?\w[\w.-]*$/.test(name)

export type NewBackup = {
  add(name: string, content: Readable): Promise<void>
  /** Completes the backup. Gives the SHA-256 of SHA256SUMS, which `openBackup` compares. */
  finish(facts: BackupFacts): Promise<{ bytes: number; digest: string }>
  discard(): Promise<void>
}

/** Makes a folder that its owner alone enters. It must not exist. */
export async function makeFolder(
  what: 'backup' | 'export' | 'archive',
  folder: string,
): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((thrown: NodeJS.ErrnoException) => {
    const reasons: Record<string, string> = {
      EEXIST: 'it exists already',
      ENOENT: `${dirname(folder)} does not exist`,
    }
    const reason = reasons[thrown.code ?? ''] ?? thrown.message
    throw new StartupError(`The ${what} cannot be written to ${folder}: ${reason}.`)
  })
  // Whatever the umask of this process is.
  await chmod(folder, 0o700)
}

/**
 * @param folder must not exist
 * @param signal ends what is being added
 */
export async function createBackup(folder: string, signal?: AbortSignal): Promise<NewBackup> {
  await makeFolder('backup', folder)
  let sums = ''
  let bytes = 0
  async function add(name: string, content: Readable): Promise<string> {
    if (name.includes('/')) await mkdir(join(folder, name, '..'), { recursive: true, mode: 0o700 })
    const hash = createHash('sha256')
    const handle = await open(join(folder, name), 'wx', 0o600)
    await pipeline(
      content,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          bytes += chunk.length
          yield chunk
        }
      },
      handle.createWriteStream({ flush: true }),
      { ...(signal && { signal }) },
    )
    return hash.digest('hex')
  }
  const addNamed = async (name: string, content: Readable) => {
    if (!isBackupName(name)) throw new Error(`A backup cannot hold a file named ${name}`)
    sums += `${await add(name, content)}  ${name}\n`
  }
  return {
    add: addNamed,
    async finish(facts) {
      await addNamed(
        factsName,
        Readable.from([Buffer.from(`${JSON.stringify(facts, undefined, 2)}\n`)]),
      )
      const digest = await add(`${sumsName}.part`, Readable.from([Buffer.from(sums)]))
      await rename(join(folder, `${sumsName}.part`), join(folder, sumsName))
      const handle = await open(folder)
      await handle.sync()
      await handle.close()
      return { bytes, digest: `sha256:${digest}` }
    },
    discard: () => rm(folder, { recursive: true, force: true }),
  }
}

export type Backup = {
  facts: BackupFacts
  names: readonly string[]
  /** The bytes of a file. Fails at the end when they are not those that the sums name. */
  read(name: string): AsyncGenerator<Buffer, void>
}

type Reading = {
  signal?: AbortSignal
  /** The digest of the backup, as `backup` has printed it. */
  digest?: string | undefined
}

const digestText = /^sha256:[0-9a-f]{64}$/

/** Throws {@link StartupError} for a text that is no digest of a backup. */
export function requireDigest(text: string | undefined): void {
  if (text === undefined || digestText.test(text)) return
  throw new StartupError('--expect-digest is the line that `strongroom backup` has printed.')
}

/**
 * Reads the whole backup. Throws {@link StartupError} with one line when it is not as written, or
 * not the one of that digest.
 */
export async function openBackup(
  folder: string,
  { signal, digest }: Reading = {},
): Promise<Backup> {
  const unusable = (reason: string): never => {
    throw new StartupError(`The backup ${folder} cannot be used: ${reason}.`)
  }
  const written = await openFile(join(folder, sumsName), signal)
  if (!written) return unusable(`${sumsName} is missing: it is no backup, or one that was cut off`)
  const sums = await readText(written)
  const found = `sha256:${createHash('sha256').update(sums).digest('hex')}`
  if (digest !== undefined && digest !== found) {
    return unusable(`its digest is ${found}, and not the one that was noted`)
  }
  const sumOf = new Map<string, string>()
  for (const line of sums.split('\n').slice(0, -1)) {
    const [, sum, name] = /^([0-9a-f]{64}) {2}(.*)$/.exec(line) ?? []
    if (sum === undefined || name === undefined || !isBackupName(name)) {
      return unusable(`${sumsName} is damaged`)
    }
    sumOf.set(name, sum)
  }
  for (const name of [archiveName, factsName]) {
    if (!sumOf.has(name)) return unusable(`${sumsName} does not name ${name}`)
  }
  async function* read(name: string): AsyncGenerator<Buffer, void> {
    const chunks = await openFile(join(folder, name), signal)
    if (!chunks) return unusable(`${name} is missing`)
    const hash = createHash('sha256')
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
    if (hash.digest('hex') !== sumOf.get(name)) unusable(`${name} is damaged`)
  }
  for (const name of sumOf.keys()) for await (const _ of read(name));
  return {
    facts: readFacts(await readText(read(factsName)), unusable),
    names: [...sumOf.keys()],
    read,
  }
}

function readFacts(text: string, unusable: (reason: string) => never): BackupFacts {
  const { format, ...facts } = parseObject(text)
  if (typeof format === 'number' && format > 1) unusable('a newer Strongroom made it')
  const isKnown =
    format === 1 &&
    Object.entries(factForms).every(([name, form]) => form.test(String(facts[name])))
  return isKnown ? ({ format, ...facts } as BackupFacts) : unusable(`${factsName} is damaged`)
}

/** They are printed, and stored: no other text is taken from a file that may have been changed. */
const factForms = {
  madeAt: /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/,
  postgresql: /^\d{1,3}$/,
  password: /^[\w-]{1,100}$/,
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** Undefined when there is no file, or something else, such as a link, a pipe or a device. */
async function openFile(
  path: string,
  signal?: AbortSignal,
): Promise<AsyncIterable<Buffer> | undefined> {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (handle && (await handle.stat()).isFile()) return handle.createReadStream({ signal })
  await handle?.close()
  return undefined
}

const textBytesMax = 1_000_000

async function readText(chunks: AsyncIterable<Buffer>): Promise<string> {
  let text = Buffer.alloc(0)
  for await (const chunk of chunks) {
    text = Buffer.concat([text, chunk])
    if (text.length > textBytesMax) break
  }
  return text.toString()
}
