// `strongroom create-admin`: a further administrator, for whoever can reach the database.
import { addAdmin } from '../features/auth/first-admin.ts'
import { createPasswords } from '../features/auth/passwords.ts'
import { systemClock } from '../domain/clock.ts'
import type { Config } from '../config/config.ts'
import { openDatabase } from '../database/connect.ts'
import { normaliseEmail, normaliseUsername } from '../domain/usernames.ts'
import { withDatabase } from './database.ts'

export async function createAdmin(
  config: Config,
  options: { username: string; email: string },
  say: (text: string) => void,
): Promise<void> {
  const username = normaliseUsername(options.username)
  const email = normaliseEmail(options.email)
  if (username === undefined) throw new Error('That is not a user name.')
  if (email === undefined) throw new Error('That is not an e-mail address.')
  const password = await withDatabase(config, async (address) => {
    const db = openDatabase(address)
    try {
      return await addAdmin(db, await createPasswords(), { username, email }, systemClock().now())
    } finally {
      await db.close()
    }
  })
  if (password === undefined) throw new Error('That user name or e-mail address is taken.')
  say(`Administrator ${username} was created with the password ${password}\n`)
}
