// What the embedded PostgreSQL has on disk: the data folder, the password and the cluster itself.
// Everything is made beside its place and renamed into it, so a start that is cut off leaves
// nothing that a later start could mistake for the whole.
import { randomBytes } from 'node:crypto'
import {
  chmod,
  chown,
  lchown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import {
  type Account,
  findAccount,
  findBinaries,
  oneLine,
  probe,
  type Program,
  run,
} from './embedded-program.ts'
import { StartupError } from '../domain/startup-error.ts'

/** An embedded database on disk, ready to be run. */
export type Cluster = {
  /** The data folder, absolute. */
  folder: string
  /** PostgreSQL's own folder in it. */
  path: string
  log: string
  password: string
  program: Program
  settings?: Settings
}

/** Settings of PostgreSQL by name. */
export type Settings = Readonly<Record<string, string>>

export const ownerRole = 'strongroom_owner'

/** Makes what is missing of it. Safe to run by several processes at once. */
export async function prepareCluster(dataFolder: string): Promise<Cluster> {
  const folder = resolve(dataFolder)
  const path = join(folder, 'postgres')
  const binaries = await findBinaries()
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  const account = await findAccount(path)
  if (account) await letThrough(account, folder, made)
  const major = await probe(binaries.postgres, account, folder)
  const program = { ...binaries, account, major }
  const hasCluster = await isOurs(path, major)
  const password = await readPassword(folder, hasCluster)
  if (!hasCluster) await makeCluster(path, password, program)
  return { folder, path, log: join(folder, 'postgres.log'), password, program }
}

/**
 * Lets the account's group pass through the folders that are ours, but not list or write them.
 * Only where nobody but root may: a group or others with any right are the operator's arrangement,
 * as are the parents that were there before. If those are closed, `probe` says so.
 */
async function letThrough(account: Account, folder: string, made = folder): Promise<void> {
  for (let path = folder; path.length >= made.length && path !== '/'; path = dirname(path)) {
    const { uid, mode } = await stat(path)
    if (uid !== 0 || (mode & 0o077) !== 0) continue
    await chown(path, 0, account.gid)
    await chmod(path, 0o710)
  }
}

/** Throws when there is something else in the cluster's place, or another version's cluster. */
async function isOurs(path: string, major: string): Promise<boolean> {
  const version = await readIfPresent(join(path, 'PG_VERSION'))
  if (version === undefined) {
    const content = await readdir(path).catch((thrown: unknown) => absentOrThrow(thrown))
    if (content === undefined || content.length === 0) return false
    throw new StartupError(`${path} holds something that is not a PostgreSQL database: move it.`)
  }
  const found = version.trim()
  if (found === major) return true
  throw new StartupError(
    `${path} was made by PostgreSQL ${found}, and this Strongroom runs PostgreSQL ${major}: ` +
      'start the Strongroom that made it, or move the data over (docs/OPERATIONS.md).',
  )
}

type Secrets = { password: string; socketFolder: string }

const secretsPath = (folder: string): string => join(folder, 'postgres.json')

/** Whoever comes first makes the password; with it, all make the same cluster. */
async function readPassword(folder: string, hasCluster: boolean): Promise<string> {
  const path = secretsPath(folder)
  if (!hasCluster && (await readIfPresent(path)) === undefined) {
    const password = randomBytes(24).toString('base64url')
    await writeSecrets(folder, { password, socketFolder: ownSocketFolder(folder) }, 'create')
  }
  const text = await readIfPresent(path)
  const hint = 'restore the one that belongs to the database'
  if (text === undefined) throw new StartupError(`${path} is missing: ${hint}.`)
  const { password } = parseSecrets(text)
  if (password === undefined) throw new StartupError(`${path} is damaged: ${hint}.`)
  return password
}

function parseSecrets(text: string): Partial<Secrets> {
  try {
    const { password, socketFolder } = JSON.parse(text) as Record<string, unknown>
    if (typeof password !== 'string' || typeof socketFolder !== 'string') return {}
    return { password, socketFolder }
  } catch {
    return {}
  }
}

async function writeSecrets(folder: string, secrets: Secrets, how: 'create' | 'replace') {
  const path = secretsPath(folder)
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const content = `${JSON.stringify(secrets, undefined, 2)}\n`
    await writeFile(temporary, content, { mode: 0o600, flag: 'wx', flush: true })
    if (how === 'replace') await rename(temporary, path)
    else await link(temporary, path)
  } catch (thrown) {
    if (how !== 'create' || (thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
  } finally {
    await rm(temporary, { force: true })
  }
  await syncFolder(folder)
}

const unfinished = '.unfinished-'

/** Makes the cluster, unless another process that starts at the same moment is quicker. */
async function makeCluster(path: string, password: string, program: Program): Promise<void> {
  const { account, initdb } = program
  const temporary = await mkdtemp(path + unfinished)
  try {
    if (account) await chown(temporary, account.uid, account.gid)
    // Through a pipe made by the shell: the password is never in a file or on a command line, and
    // the account can open the pipe by its name.
    const shell = ['-c', 'cat | "$0" "$@"', initdb, `--pgdata=${temporary}`, ...initdbOptions]
    const { code, output } = await run('/bin/sh', shell, account, `${password}\n`)
    if (code !== 0) {
      if (await isOurs(path, program.major)) return
      throw new StartupError(`PostgreSQL could not be set up in ${path}: ${oneLine(output)}`)
    }
    await rename(temporary, path)
    await syncFolder(dirname(path))
  } catch (thrown) {
    const { code = '' } = thrown as NodeJS.ErrnoException
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(code)) throw thrown
    if (!(await isOurs(path, program.major))) throw thrown
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

const initdbOptions = [
  `--username=${ownerRole}`,
  '--pwfile=/dev/stdin',
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  // PostgreSQL's own: an upgrade of the operating system cannot change the order of an index.
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
  '--data-checksums',
  '--no-instructions',
]

/**
 * Removes what starts that were cut off have left. Only for the one who holds the database: any
 * start still at work on such a folder has lost the race already, and copes. What cannot be
 * removed, since the set-up of a killed service is still writing to it, is for the next start.
 */
export async function removeUnfinished({ folder }: Cluster): Promise<void> {
  const names = await readdir(folder)
  const left = names.filter((name) => name.startsWith(`postgres${unfinished}`))
  const remove = (name: string) => rm(join(folder, name), { recursive: true, force: true })
  await Promise.all(left.map((name) => remove(name).catch(() => {})))
}

/** Bytes in a socket's path: 107 on Linux, 103 on macOS. */
const socketPathBytesMax = 103
export const port = 5432

const ownSocketFolder = (folder: string): string => join(folder, 'socket')

export const fitsSocket = (folder: string): boolean =>
  Buffer.byteLength(`${ownSocketFolder(folder)}/.s.PGSQL.${port}`) <= socketPathBytesMax

/** Where a server on this folder listens, if its path is short enough to be known beforehand. */
export const knownSocketFolder = ({ folder }: Cluster): string | undefined =>
  fitsSocket(folder) ? ownSocketFolder(folder) : undefined

/** The folder for the socket of a new run: private, and PostgreSQL's. Recorded for the operator. */
export async function makeSocketFolder(cluster: Cluster): Promise<string> {
  const { folder, password, program } = cluster
  const recorded = parseSecrets((await readIfPresent(secretsPath(folder))) ?? '').socketFolder
  let socketFolder = knownSocketFolder(cluster)
  if (socketFolder === undefined) {
    // What a killed run has left; with a socket in it, it is in use and stays.
    if (recorded?.startsWith(temporaryPrefix)) await rmdir(recorded).catch(() => {})
    socketFolder = await mkdtemp(temporaryPrefix)
  } else {
    await mkdir(socketFolder, { recursive: true, mode: 0o700 })
  }
  if (!(await lstat(socketFolder)).isDirectory()) {
    throw new StartupError(`${socketFolder} is not a folder: remove it.`)
  }
  if (program.account) await lchown(socketFolder, program.account.uid, program.account.gid)
  await chmod(socketFolder, 0o700)
  if (recorded !== socketFolder) await writeSecrets(folder, { password, socketFolder }, 'replace')
  return socketFolder
}

/** Not TMPDIR, which may be long itself, or closed to PostgreSQL's account. */
const temporaryPrefix = '/tmp/strongroom-'

export async function removeSocketFolder(socketFolder: string): Promise<void> {
  if (socketFolder.startsWith(temporaryPrefix)) await rmdir(socketFolder).catch(() => {})
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function readIfPresent(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((thrown: unknown) => absentOrThrow(thrown))
}

function absentOrThrow(thrown: unknown): undefined {
  if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
  throw thrown
}
