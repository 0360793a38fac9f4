// Settings that have to fit what is in the database: checked before the service listens.
import type { Config } from '../config/config.ts'
import { isLocal } from '../config/urls.ts'
import { type Address, openDatabase } from '../database/connections/connect.ts'
import { leastCode } from '../domain/bban.ts'
import { fictitiousBank } from '../domain/iban.ts'
import type { Clock } from '../domain/clock.ts'
import { StartupError } from '../domain/startup-error.ts'
import { findForeignIban, ownPatterns } from '../features/accounts/ibans.ts'
import { longReadMs } from './database.ts'
import { requireCalendar } from './days/calendar.ts'
import { requireTimeZone } from './days/time-zone.ts'

/**
 * Throws {@link StartupError} when the accounts are of another bank than the settings, or the days
 * of another time zone or calendar.
 */
export async function requireFittingSettings(
  config: Config,
  address: Address,
  clock: Clock,
): Promise<void> {
  const db = openDatabase(address, { readMs: longReadMs })
  try {
    await requireTimeZone(db, config.timeZone, { address, clock })
    await requireCalendar(db, config, { address, clock })
    const foreign = await findForeignIban(db, ownPatterns(config))
    if (foreign === undefined) return
    throw new StartupError(
      `There are open accounts of ${leastCode(foreign)}, which neither STRONGROOM_BANK nor ` +
        'STRONGROOM_BANK_ALSO names.',
    )
  } finally {
    await db.close()
  }
}

/** Whether new IBANs would lack the check digit that a German bank has chosen for its accounts. */
export const lacksCheckDigit = ({
  bank: { country, prefix },
  bankCheck,
  ibans,
}: Pick<Config, 'bank' | 'bankCheck' | 'ibans'>): boolean =>
  // German bank codes begin with 1 to 8 (Deutsche Bundesbank).
  country === 'DE' && /^[1-8]/.test(prefix) && bankCheck === undefined && ibans === 'drawn'

/** Whether people elsewhere are given numbers that no payment reaches. */
export const isFictitious = ({ bank }: Pick<Config, 'bank'>, publicUrl: string): boolean =>
  bank.country === fictitiousBank.country &&
  bank.prefix === fictitiousBank.prefix &&
  !isLocal(new URL(publicUrl).hostname)
