// The first administrator of a bank, whom the first start adds.
import { fstatSync } from 'node:fs'
import { readFile, rm, stat } from 'node:fs/promises'
import type { Config } from '../config/config.ts'
import { type Address, openDatabase } from '../database/connections/connect.ts'
import { addFirstAdmin } from '../features/auth/first-admin.ts'
import {
  firstLogin,
  firstPasswordPath,
  keepFirstPassword,
} from '../features/auth/first-password.ts'
import { createPasswords } from '../features/credentials/passwords.ts'

/**
 * Whether the terminal is that of a container, and what is written there is kept as its log: the
 * container's console is this terminal, or its first process has it. Elsewhere the first process
 * has none. In a session of its own a process does not tell which one it has.
 */
async function isOfContainer(): Promise<boolean> {
  const console = await stat('/dev/console').catch(() => undefined)
  if (console?.rdev === fstatSync(process.stderr.fd).rdev) return true
  const [first, own] = await Promise.all(['1', 'self'].map(readTerminal))
  return first !== undefined && (own === undefined || first === own)
}

/** The device number of a process's terminal; undefined without one, or without `/proc`. */
async function readTerminal(process: string): Promise<string | undefined> {
  const text = await readFile(`/proc/${process}/stat`, 'utf8').catch(() => '')
  // State, parent, group, session and terminal, behind a name that may hold anything.
  const terminal = text.slice(text.lastIndexOf(')') + 2).split(' ')[4]
  return terminal === '0' ? undefined : terminal
}

/**
 * Adds the first administrator, and says the password at once, so that a start which fails later
 * does not lose it. A generated one is shown in a terminal, else written to a file.
 *
 * @returns whether there is a user of the configured name
 */
export async function firstAdmin(
  config: Config,
  address: Address,
  now: number,
  say: (text: string) => void,
): Promise<boolean> {
  const { adminUsername: username, adminPassword, dataDir } = config
  const path = firstPasswordPath(dataDir)
  let isKept = false
  const keep = async (password: string): Promise<void> => {
    if (process.stderr.isTTY && !(await isOfContainer())) return
    await keepFirstPassword(path, username, password)
    isKept = true
  }
  const db = openDatabase(address)
  try {
    const admin = { username, email: `${username}@localhost`, password: adminPassword }
    const added = await addFirstAdmin(db, await createPasswords(), admin, now, keep)
    if (added.password !== undefined) {
      const hint = adminPassword === undefined && !isKept ? '. This is shown only once' : ''
      const given =
        adminPassword === undefined ? added.password : 'that of STRONGROOM_ADMIN_PASSWORD'
      const password = isKept ? `in ${path} until it is changed` : given
      say(`\nThe first administrator was created${hint}:\n${firstLogin(username, password)}`)
    }
    // Another instance was quicker, or the user name is taken. Or the file is of a start that was
    // cut off, and its password was never set.
    if (isKept !== (added.password !== undefined)) await rm(path, { force: true })
    return added.hasName
  } finally {
    await db.close()
  }
}
