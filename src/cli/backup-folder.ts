// The folder of a backup. SHA256SUMS is written last and names every file: a backup without it was
// cut off, and one that differs from it is damaged. `sha256sum -c SHA256SUMS` checks it too.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, lstat, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
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
  /** Of the owner of the database. */
  password: string
}

export const archiveName = 'postgres.tar'
const factsName = 'bank.json'
const sumsName = 'SHA256SUMS'

/** Other names would need quotes in SHA256SUMS. */
export const isBackupName = (name: string): boolean => /^(tls\/)?\w[\w.-]*$/.test(name)

export type NewBackup = {
  add(name: string, content: Readable): Promise<void>
  /** Completes the backup. */
  finish(facts: BackupFacts): Promise<{ bytes: number; digest: string }>
  discard(): Promise<void>
}

/**
 * @param folder must not exist
 * @param signal ends what is being added
 */
export async function createBackup(folder: string, signal?: AbortSignal): Promise<NewBackup> {
  await mkdir(folder, { mode: 0o700 }).catch((thrown: NodeJS.ErrnoException) => {
    const reasons: Record<string, string> = {
      EEXIST: 'it exists already',
      ENOENT: `${dirname(folder)} does not exist`,
    }
    const reason = reasons[thrown.code ?? ''] ?? thrown.message
    throw new StartupError(`The backup cannot be written to ${folder}: ${reason}.`)
  })
  // Whatever the umask of this process is.
  await chmod(folder, 0o700)
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
      return { bytes, digest }
    },
    discard: () => rm(folder, { recursive: true, force: true }),
  }
}

export type Backup = {
  facts: BackupFacts
  /** SHA-256 of SHA256SUMS. */
  digest: string
  names: readonly string[]
  path(name: string): string
}

/** Reads the whole backup. Throws {@link StartupError} with one line when it is not as written. */
export async function openBackup(folder: string, signal?: AbortSignal): Promise<Backup> {
  const unusable = (reason: string): never => {
    throw new StartupError(`The backup ${folder} cannot be used: ${reason}.`)
  }
  const sums = await readFile(join(folder, sumsName), 'utf8').catch(() =>
    unusable(`${sumsName} is missing: it is no backup, or one that was cut off`),
  )
  const names: string[] = []
  for (const line of sums.split('\n').slice(0, -1)) {
    const [, sum, name] = /^([0-9a-f]{64}) {2}(.*)$/.exec(line) ?? []
    if (sum === undefined || name === undefined || !isBackupName(name)) {
      return unusable(`${sumsName} is damaged`)
    }
    names.push(name)
    const found = await hashFile(join(folder, name), signal).catch(() => {
      signal?.throwIfAborted()
      return unusable(`${name} is missing`)
    })
    if (found !== sum) return unusable(`${name} is damaged`)
  }
  for (const name of [archiveName, factsName]) {
    if (!names.includes(name)) return unusable(`${sumsName} does not name ${name}`)
  }
  const facts = JSON.parse(await readFile(join(folder, factsName), 'utf8')) as BackupFacts
  if (facts.format !== 1) return unusable('a newer Strongroom made it')
  return {
    facts,
    digest: createHash('sha256').update(sums).digest('hex'),
    names,
    path: (name) => join(folder, name),
  }
}

async function hashFile(path: string, signal?: AbortSignal): Promise<string> {
  if (!(await lstat(path)).isFile()) throw new Error('No file')
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash, { ...(signal && { signal }) })
  return hash.digest('hex')
}
