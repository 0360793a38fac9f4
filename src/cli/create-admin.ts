// `strongroom create-admin`: adds an administrator. Access to the database is the permission. The
// password goes to standard output alone: jobs keep standard error in their logs.
import type { Config } from '../config/config.ts'
import { systemClock } from '../domain/clock.ts'
import { StartupError } from '../domain/startup-error.ts'
import { normaliseEmail, normaliseUsername } from '../domain/usernames.ts'
import { addAdmin } from '../features/auth/first-admin.ts'
import { createPasswords } from '../features/credentials/passwords.ts'
import { withOpenDatabase } from './database.ts'

export async function createAdmin(
  config: Config,
  say: (text: string) => void,
  options: { username: string; email: string },
): Promise<void> {
  const username = normaliseUsername(options.username)
  const email = normaliseEmail(options.email)
  if (username === undefined) throw new StartupError('That is not a user name.')
  if (email === undefined) throw new StartupError('That is not an e-mail address.')
  const password = await withOpenDatabase(config, async (db) =>
    addAdmin(db, await createPasswords(), { username, email }, systemClock().now()),
  )
  if (password === undefined) throw new Error('That user name or e-mail address is taken.')
  say(`Administrator ${username} was created with the password on standard output.\n`)
  process.stdout.write(`${password}\n`)
}
