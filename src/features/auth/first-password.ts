// The generated password of the first administrator, where no terminal can show it: a file that its
// owner alone can read, until the password is changed. A log is kept, copied and read by others.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../../database/connections/connect.ts'
import { one, statement } from '../../database/statements/statement.ts'
import { fileSystemError } from '../../domain/startup-error.ts'
import { describeError, type Log } from '../../telemetry/log.ts'

export const firstPasswordPath = (dataDir: string): string => join(dataDir, 'first-admin-password')

/** What the terminal would have shown. */
export const firstLogin = (username: string, password: string): string =>
  `  user name  ${username}\n  password   ${password}\n`

const usernameShape = /^ {2}user name {2}(\S+)$/m

/** Throws a `StartupError` where the folder takes no file. */
export async function keepFirstPassword(
  path: string,
  username: string,
  password: string,
): Promise<void> {
  try {
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
    // The file is of a database that is gone, or of a start that was cut off before it made the
    // administrator.
    await rm(path, { force: true })
    await writeFile(path, firstLogin(username, password), { mode: 0o600, flag: 'wx', flush: true })
  } catch (thrown) {
    const { code = 'unknown error' } = thrown as NodeJS.ErrnoException
    const message =
      `${path}, for the first administrator's password, cannot be written (${code}): ` +
      'give one in STRONGROOM_ADMIN_PASSWORD_FILE.'
    throw fileSystemError(message, thrown)
  }
}

const readChange = statement(
  'auth_read_password_change',
  ['text'],
  { isChanged: 'bool' },
  'select password_version > 0 as "isChanged" from users where username = $1',
)

const lookIntervalMs = 5000

type WatchParts = {
  db: Database
  dataDir: string
  log: Pick<Log, 'info' | 'warn' | 'error'>
}

/**
 * Removes the file once its password is changed, through whichever instance. Where there is no
 * file, which is nearly always, nothing is watched.
 */
export async function watchFirstPassword(parts: WatchParts): Promise<{ stop(): void }> {
  const { db, dataDir, log } = parts
  const path = firstPasswordPath(dataDir)
  const content = await readFile(path, 'utf8').catch(() => '')
  const [, username] = usernameShape.exec(content) ?? []
  if (username === undefined) return { stop() {} }
  log.warn({ because: path }, 'the first administrator still has the generated password')
  const look = async (): Promise<void> => {
    // While the database is away, nothing is known.
    const found = await one(db, readChange, [username]).catch(() => ({ isChanged: false }))
    if (found?.isChanged === false) return
    stop()
    await rm(path, { force: true }).then(
      () => log.info({}, 'the file of the first password was removed'),
      (thrown: unknown) =>
        log.error(
          { because: path, error: describeError(thrown) },
          'the file of the first password could not be removed',
        ),
    )
  }
  const timer = setInterval(() => void look(), lookIntervalMs).unref()
  const stop = (): void => clearInterval(timer)
  await look()
  return { stop }
}
