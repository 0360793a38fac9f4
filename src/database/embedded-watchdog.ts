// PostgreSQL must not outlive the service, however the service ends: a shell stands between the two
// and listens on a pipe that the service holds. When the pipe closes, PostgreSQL is stopped.
import { spawn } from 'node:child_process'
import { copyFile, open, stat, truncate } from 'node:fs/promises'
import type { Cluster } from './embedded-cluster.ts'
import { asAccount, environment } from './embedded-program.ts'

export type Watched = {
  /** Resolves when the shell has ended, which it does after PostgreSQL. */
  ended: Promise<void>
  hasEnded(): boolean
  isStopping(): boolean
  /** Stops PostgreSQL: rolls back what is under way, writes a checkpoint; after 10 s by force. */
  stop(): Promise<void>
  /** What PostgreSQL has logged in this run. */
  readLog(): Promise<string>
}

/**
 * The reader asks again each second, since PostgreSQL may not have been listening yet, and after
 * ten gives up on a tidy end; the next start then recovers from the log. When PostgreSQL is gone
 * the shell ends the rest of its own process group: the reader.
 */
const script = `
exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
(
  read -r _
  for signal in INT INT INT INT INT INT INT INT INT INT QUIT; do
    kill -"$signal" "$server" || exit
    sleep 1
  done
) <&3 3<&- 2>/dev/null &
exec 3<&-
trap 'kill -INT "$server"' TERM
trap '' INT HUP
wait "$server"
status=$?
while kill -0 "$server" 2>/dev/null; do
  wait "$server"
  status=$?
done
trap '' TERM
kill -TERM 0
exit "$status"
`

/**
 * Starts PostgreSQL. The process group is its own: Ctrl-C in a terminal reaches the service only,
 * which still needs its database to drain.
 *
 * @param instance tells this run from any other: the setting `strongroom.instance`
 * @param overlook the process id of a dead predecessor
 */
export async function watch(
  { path, log, program, settings: more }: Cluster,
  socketFolder: string,
  instance: string,
  overlook: number | undefined,
): Promise<Watched> {
  const own = { ...settings, ...more, unix_socket_directories: quoted(socketFolder) }
  const options = Object.entries({ ...own, 'strongroom.instance': instance })
  const args = options.flatMap(([name, value]) => ['-c', `${name}=${value}`])
  await capLog(log)
  const output = await open(log, 'a', 0o600)
  const offset = (await output.stat()).size
  const shell = ['-c', script, 'strongroom-watchdog', program.postgres, '-D', path, ...args]
  const child = spawn('/bin/sh', shell, {
    cwd: '/',
    // The name is PostgreSQL's: pg_ctl uses it to have its own parent overlooked.
    env: overlook ? { ...environment, PG_GRANDPARENT_PID: String(overlook) } : environment,
    detached: true,
    stdio: ['pipe', output.fd, output.fd],
    ...asAccount(program.account),
  })
  let isOver = false
  let isStopping = false
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  for (const event of ['error', 'exit']) {
    child.once(event, () => {
      isOver = true
      clearInterval(capping)
      resolve()
    })
  }
  const capping = setInterval(() => void capLog(log).catch(() => {}), 60_000).unref()
  child.stdin?.on('error', () => {})
  // A database keeps no process alive that has nothing else to do.
  child.unref()
  await output.close()
  return {
    ended,
    hasEnded: () => isOver,
    isStopping: () => isStopping,
    stop() {
      isStopping = true
      child.ref()
      child.stdin?.end()
      return ended
    },
    readLog: () => readFrom(log, offset),
  }
}

/** Durability (fsync, synchronous_commit, full_page_writes) is left as it is: on. */
const settings = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '60',
  shared_buffers: '128MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Neither statements nor values: the log tells of the server, not of people. Errors of statements
  // are the service's to log, and no stranger can fill the disk with them.
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
  const size = await stat(log).then(
    (found) => found.size,
    () => 0,
  )
  if (size <= logBytesMax) return
  await copyFile(log, `${log}.1`)
  await truncate(log)
}

async function readFrom(path: string, offset: number): Promise<string> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const buffer = Buffer.alloc(Math.min(Math.max(size - offset, 0), 64_000))
    await file.read(buffer, 0, buffer.length, offset)
    return buffer.toString('utf8')
  } finally {
    await file.close()
  }
}
