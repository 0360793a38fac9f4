// `strongroom ibans`: the numbers that a sponsor bank hands out, for the accounts of this bank.
import { readFile } from 'node:fs/promises'
import { isValidIBAN } from 'ibantools'
import { type Config, ownBanks } from '../config/config.ts'
import { transaction } from '../database/connections/transaction.ts'
import { isOwnIban } from '../domain/iban.ts'
import { StartupError } from '../domain/startup-error.ts'
import { addToPool, countPool, ownPatterns } from '../features/accounts/ibans.ts'
import { withOpenDatabase } from './database.ts'

/** Adds the numbers of a file, all or none, and says how many are left. */
export async function ibansCommand(
  config: Config,
  say: (text: string) => void,
  { add, left }: { add?: string; left?: true },
): Promise<void> {
  if (add === undefined && !left) throw new StartupError('Give --add <file>, --left, or both.')
  const ibans = add === undefined ? [] : await readIbans(add, config)
  await withOpenDatabase(config, async (db) => {
    if (add !== undefined) {
      const added = await transaction(db, (tx) => addToPool(tx, ibans))
      const known = ibans.length - added
      say(`${added} added${known > 0 ? `; ${known} were there, or are of an account` : ''}.\n`)
      if (config.ibans !== 'pool') say('STRONGROOM_IBANS is drawn: accounts do not take them.\n')
    }
    if (left) process.stdout.write(`${await countPool(db, ownPatterns(config))}\n`)
  })
}

/** One IBAN a line, in groups or not. Throws {@link StartupError} that names the first bad line. */
async function readIbans(file: string, config: Config): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    throw new StartupError(`${file} cannot be read (${code}).`)
  })
  const found = new Map<string, number>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const iban = line.replaceAll(' ', '')
    if (iban === '') continue
    const refuse = (why: string) => new StartupError(`${file}, line ${index + 1}: ${why}.`)
    if (!isValidIBAN(iban)) throw refuse('this is not an IBAN')
    if (!isOwnIban(ownBanks(config), iban)) throw refuse('this is not an IBAN of this bank')
    const first = found.get(iban)
    if (first !== undefined) throw refuse(`the same as line ${first}`)
    found.set(iban, index + 1)
  }
  if (found.size === 0) throw new StartupError(`${file} has no IBAN.`)
  return [...found.keys()]
}
