// Refuses a server that is too old, before any other statement is sent to it.
import { StartupError } from '../../domain/startup-error.ts'
import { type Address, createClient } from '../connections/connect.ts'

/** The oldest PostgreSQL that the migrations and statements run on. */
const majorMin = 16

/** Throws {@link StartupError} with one line for operators. */
export async function requireVersion(address: Address): Promise<void> {
  const client = createClient(address, undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ number: string; name: string }>(
      `select current_setting('server_version_num') as number,
         current_setting('server_version') as name`,
    )
    const { number = '0', name = 'unknown' } = rows[0] ?? {}
    if (Number.parseInt(number, 10) >= majorMin * 10_000) return
    throw new StartupError(
      `The database is PostgreSQL ${name}: Strongroom needs PostgreSQL ${majorMin} or newer.`,
    )
  } finally {
    await client.end()
  }
}
