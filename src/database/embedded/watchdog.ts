// PostgreSQL must not outlive the service, however the service ends. It is the child of a shell
// that reads a pipe from the service; when the pipe closes, the shell stops PostgreSQL.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, open, readFile, stat, truncate } from 'node:fs/promises'
import { type Cluster, port } from './cluster.ts'
import { asAccount, environment, ifPresent, run } from './program.ts'

export type Watched = {
  /** Resolves when the shell has ended: after PostgreSQL, or killed before it. */
  ended: Promise<'ended' | 'killed'>
  /** Stops PostgreSQL: rolls back what is under way, writes a checkpoint; after 10 s by force. */
  stop(): void
  /** What PostgreSQL has logged in this run. */
  readLog(): Promise<string>
}

/**
 * The reader repeats the signal, because PostgreSQL may not handle signals yet. After ten seconds
 * it gives up on an orderly end; the next start then recovers from the write-ahead log. The shell
 * signals its own child only, never a process id from a file. It ignores signals to its own group.
 */
const script = `
exec 3<&0 </dev/null
trap '' HUP INT TERM
"$@" 3<&- &
server=$!
(
  read -r _
  for signal in INT INT INT INT INT INT INT INT INT INT QUIT; do
    kill -"$signal" "$server" || exit
    sleep 1
  done
) <&3 3<&- 2>/dev/null &
reader=$!
exec 3<&-
wait "$server"
rm -f "$0"
kill -KILL "$reader"
`

/**
 * Starts PostgreSQL in a process group of its own: Ctrl-C in a terminal reaches the service only,
 * which still needs its database to drain.
 *
 * @param instance the file name of the instance socket
 * @param stalePid the process id in a lock file that a dead server has left
 */
export async function startWatchdog(
  { path, log, program, settings: more }: Cluster,
  socketFolder: string,
  instance: string,
  stalePid: number | undefined,
): Promise<Watched> {
  const options = {
    ...settings,
    ...more,
    unix_socket_directories: quoted(socketFolder),
    'strongroom.instance': instance,
  }
  const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  await capLog(log)
  const output = await open(log, 'a', 0o600)
  const { size: offset } = await output.stat()
  const shell = ['-c', script, `${socketFolder}/${instance}`, program.postgres, '-D', path, ...args]
  const child = spawn('/bin/sh', shell, {
    cwd: '/',
    // pg_ctl uses this variable, too, to have PostgreSQL overlook a process id in its lock files.
    env: stalePid ? { ...environment, PG_GRANDPARENT_PID: String(stalePid) } : environment,
    detached: true,
    stdio: ['pipe', output.fd, output.fd],
    ...asAccount(program.account),
  })
  const capping = setInterval(() => void capLog(log).catch(() => {}), 60_000).unref()
  const ended = once(child, 'exit').then(
    ([code]) => (code === null ? 'killed' : 'ended'),
    () => 'ended' as const,
  )
  void ended.then(() => clearInterval(capping))
  child.stdin?.on('error', () => {})
  // A database keeps no process alive that has nothing else to do.
  child.unref()
  await output.close()
  return {
    ended,
    stop() {
      child.ref()
      child.stdin?.end()
    },
    readLog: async () => (await readFile(log)).subarray(offset).toString(),
  }
}

/**
 * Stops the server on the cluster, which must be known to run: a lock file that a dead server has
 * left may hold the process id of another program.
 */
export async function stopServer({ path, program }: Cluster): Promise<void> {
  const stop = (mode: string) =>
    run(program.pg_ctl, ['stop', '-D', path, '-m', mode, '-w', '-t', '10'], program.account)
  if ((await stop('fast')).code !== 0) await stop('immediate')
}

/** Durability (fsync, synchronous_commit, full_page_writes) keeps its default: on. */
const settings = {
  listen_addresses: '',
  port: String(port),
  unix_socket_permissions: '0700',
  max_connections: '60',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Neither statements nor values, which may be personal data. Failed statements are the service's
  // to log, so no client can fill the disk with them.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
}

/** As an item of a list in PostgreSQL's settings. */
const quoted = (path: string): string => `"${path.replaceAll('"', '""')}"`

const logBytesMax = 10_000_000

/** PostgreSQL appends to the file it was given, so the file is emptied, not replaced. */
export async function capLog(log: string): Promise<void> {
  const { size = 0 } = (await ifPresent(stat(log))) ?? {}
  if (size <= logBytesMax) return
  await copyFile(log, `${log}.1`)
  await truncate(log)
}
