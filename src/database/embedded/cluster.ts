// The files of the embedded PostgreSQL: the data folder, the password and the cluster itself. Each
// is made beside its place and renamed into it, so a start that is cut off leaves nothing that a
// later start could take for complete.
import {
  chmod,
  chown,
  lchown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { PassingStartupError, StartupError } from '../../domain/startup-error.ts'
import {
  type Account,
  findAccount,
  findBinaries,
  ifPresent,
  oneLine,
  probe,
  type Program,
  run,
} from './program.ts'
import { isDiskFull } from './setback.ts'
import { ownSocketFolder, readPassword, readSecrets, syncFolder, writeSecrets } from './secrets.ts'

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

/**
 * Makes what is missing of it. Several processes may run this at once.
 *
 * @param onWorking called while a cluster is made
 */
export async function prepareCluster(dataFolder: string, onWorking?: () => void): Promise<Cluster> {
  const { folder, path, program } = await prepareFolder(dataFolder)
  const hasCluster = await isCluster(path, program.major)
  const password = await readPassword(folder, hasCluster)
  if (!hasCluster) await makeCluster(path, password, program, onWorking)
  return { folder, path, log: join(folder, 'postgres.log'), password, program }
}

/** Makes the data folder itself, where it is missing, and lets PostgreSQL's account reach it. */
async function prepareFolder(
  dataFolder: string,
): Promise<Pick<Cluster, 'folder' | 'path' | 'program'>> {
  const folder = resolve(dataFolder)
  const path = join(folder, 'postgres')
  const binaries = await findBinaries()
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 })
  const account = await findAccount(path)
  if (account) await letThrough(account, folder, firstMade)
  const major = await probe(binaries.postgres, account, folder)
  return { folder, path, program: { ...binaries, account, major } }
}

/** Throws when the data folder holds a database, or the password of one. */
export async function requireNoCluster(dataFolder: string): Promise<void> {
  const { folder, path, program } = await prepareFolder(dataFolder)
  if (!(await isCluster(path, program.major)) && (await readSecrets(folder)) === undefined) return
  throw new StartupError(
    `${folder} holds a bank already: restore into another folder (STRONGROOM_DATA_DIR).`,
  )
}

/**
 * Makes a data folder of its own inside of another one, with a database that the callback has
 * written. It is removed like a set-up that was cut off, unless {@link moveCluster} takes it.
 *
 * @param write writes PostgreSQL's files into the folder, for that account
 */
export async function makeClusterInside(
  parent: string,
  password: string,
  write: (path: string, program: Program) => Promise<void>,
): Promise<string> {
  await prepareFolder(parent)
  const folder = await mkdtemp(join(resolve(parent), unfinishedPrefix))
  try {
    const { path, program } = await prepareFolder(folder)
    // It belongs to this process until all is written: no other program of PostgreSQL's account can
    // put a link into it that would lead a write of root elsewhere.
    await mkdir(path, { mode: 0o700 })
    await write(path, program)
    if (program.account) await chown(path, program.account.uid, program.account.gid)
    await writeSecrets(folder, { password, socketFolder: ownSocketFolder(folder) }, link)
    return folder
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true })
    throw thrown
  }
}

/** Puts a database that is not running into its place. Without its password it does not start. */
export async function moveCluster(from: string, to: string): Promise<void> {
  const { password = '' } = (await readSecrets(from)) ?? {}
  await rename(join(from, 'postgres'), join(resolve(to), 'postgres'))
  await writeSecrets(resolve(to), { password, socketFolder: ownSocketFolder(resolve(to)) }, link)
}

/**
 * Lets the account's group pass through the folders that this process has made, but not list or
 * write them. A folder that gives the group or others any right is the operator's arrangement and
 * stays, as do parents that existed before. If one of those is closed, `probe` reports it.
 */
async function letThrough(account: Account, folder: string, firstMade = folder): Promise<void> {
  for (let path = folder; path.length >= firstMade.length && path !== '/'; path = dirname(path)) {
    const { uid, mode } = await stat(path)
    if (uid !== 0 || (mode & 0o077) !== 0) continue
    await chown(path, 0, account.gid)
    await chmod(path, 0o710)
  }
}

/** Throws when there is something else in the cluster's place, or another version's cluster. */
async function isCluster(path: string, major: string): Promise<boolean> {
  const version = await ifPresent(readFile(join(path, 'PG_VERSION'), 'utf8'))
  if (version === undefined) {
    const content = (await ifPresent(readdir(path))) ?? []
    if (content.length === 0) return false
    throw new StartupError(`${path} holds something that is not a PostgreSQL database: move it.`)
  }
  const found = version.trim()
  if (found === major) return true
  throw new StartupError(
    `${path} was made by PostgreSQL ${found}, and this Strongroom runs PostgreSQL ${major}: ` +
      'start the Strongroom that made it.',
  )
}

const unfinishedPrefix = 'postgres.unfinished-'

/** Makes the cluster, unless another process that starts at the same moment is quicker. */
async function makeCluster(
  path: string,
  password: string,
  program: Program,
  onWorking?: () => void,
): Promise<void> {
  const { account, initdb, major } = program
  const temporary = await mkdtemp(join(dirname(path), unfinishedPrefix))
  try {
    if (account) await chown(temporary, account.uid, account.gid)
    // Through a pipe made by the shell: the password is never in a file or on a command line, and
    // the account can open the pipe by its name.
    const shell = ['-c', 'cat | "$0" "$@"', initdb, `--pgdata=${temporary}`, ...initdbOptions]
    const made = run('/bin/sh', shell, account, `${password}\n`)
    onWorking?.()
    const { code, output } = await made
    if (code !== 0) {
      const Failure = isDiskFull(output) ? PassingStartupError : StartupError
      throw new Failure(`PostgreSQL could not be set up in ${path}: ${oneLine(output)}`)
    }
    await rename(temporary, path)
  } catch (thrown) {
    // The quicker process may also have removed the unfinished folder.
    if (!(await isCluster(path, major))) throw thrown
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
  await syncFolder(dirname(path))
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

/** Bytes in a socket's path: 107 on Linux, 103 on macOS. */
const socketPathBytesMax = 103
export const port = 5432

/** Not TMPDIR, which may be long itself, or closed to PostgreSQL's account. */
const temporaryPrefix = '/tmp/strongroom-'
const isTemporary = (path: string): boolean => /^\/tmp\/strongroom-[^/]+$/.test(path)

/** Whether the path of a socket in the data folder is short enough. */
export const fitsSocket = (folder: string): boolean =>
  Buffer.byteLength(`${ownSocketFolder(folder)}/.s.PGSQL.${port}`) <= socketPathBytesMax

/** Where a server that runs on this cluster listens, as PostgreSQL's lock file says. */
export async function findSocketFolder(cluster: Cluster): Promise<string | undefined> {
  const { folder, path, program } = cluster
  if (fitsSocket(folder)) return ownSocketFolder(folder)
  const lockFile = (await ifPresent(readFile(join(path, 'postmaster.pid'), 'utf8'))) ?? ''
  const socketFolder = lockFile.split('\n')[4] ?? ''
  if (!isTemporary(socketFolder)) return undefined
  // After a restart of the machine any user could make a folder of that name.
  const found = await ifPresent(lstat(socketFolder))
  const owners = [process.getuid?.(), program.account?.uid]
  const isOurs = found?.isDirectory() && owners.includes(found.uid) && (found.mode & 0o077) === 0
  return isOurs ? socketFolder : undefined
}

/** The temporary folder that the last start recorded. */
export async function readSocketFolder(folder: string): Promise<string> {
  const { socketFolder = '' } = (await readSecrets(folder)) ?? {}
  return isTemporary(socketFolder) ? socketFolder : ''
}

/** A folder for the sockets of a new run: private, and of PostgreSQL's account. */
export async function makeSocketFolder(cluster: Cluster): Promise<string> {
  const { folder, password, program } = cluster
  let socketFolder = ownSocketFolder(folder)
  if (fitsSocket(folder)) await mkdir(socketFolder, { recursive: true, mode: 0o700 })
  else {
    // The folder of a killed run. One with a socket in it is in use and stays.
    await rmdir(await readSocketFolder(folder)).catch(() => {})
    socketFolder = await mkdtemp(temporaryPrefix)
    await writeSecrets(folder, { password, socketFolder }, rename)
  }
  if (!(await lstat(socketFolder)).isDirectory()) {
    throw new StartupError(`${socketFolder} is not a folder: remove it.`)
  }
  if (program.account) await lchown(socketFolder, program.account.uid, program.account.gid)
  await chmod(socketFolder, 0o700)
  return socketFolder
}

/** After PostgreSQL has ended. */
export async function removeSocketFolder(socketFolder: string): Promise<void> {
  if (isTemporary(socketFolder)) await rm(socketFolder, { recursive: true }).catch(() => {})
}

/**
 * Removes what set-ups that were cut off have left. Only the process that runs the database may: a
 * set-up still at work has lost the race already. What the set-up of a killed service is still
 * writing is left to the next start.
 */
export async function removeUnfinished({ folder }: Cluster): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(unfinishedPrefix))
  const remove = (name: string) => rm(join(folder, name), { recursive: true, force: true })
  await Promise.all(names.map((name) => remove(name).catch(() => {})))
}
