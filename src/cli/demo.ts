// `strongroom demo`: fills an empty bank with people and a year of their payments. The passwords
// are generated each time, because a known password would open the bank to everyone.
import path from 'node:path'
import { createPasswords } from '../features/credentials/passwords.ts'
import { newSecret } from '../gate/opaque-secret.ts'
import { dayMs, systemClock } from '../domain/clock.ts'
import { readDays } from '../database/background/bank-days.ts'
import type { Config } from '../config/config.ts'
import { bank as bankCode, Unusable } from '../config/values.ts'
import { type BankCode, numbersOf } from '../domain/bban.ts'
import { StartupError } from '../domain/startup-error.ts'
import { type Role, roles } from '../gate/roles.ts'
import { prepareDatabase } from './serve.ts'
import { longReadMs, withOpenDatabase } from './database.ts'
import { changeCalendar } from './days/calendar.ts'
import { changeTimeZone } from './days/time-zone.ts'
import { fill, requireEmpty } from '../../demo/fill.ts'
import { bakeryUsernames, exampleUsername, type Year } from '../../demo/people.ts'
import { createProgressBar } from './progress-bar.ts'

const days = 365

/** Fills the bank with the year that ends at the last midnight of the bank. */
export async function demo(
  config: Config,
  say: (text: string) => void,
  { seed, bank: given }: { seed: string; bank?: string },
): Promise<void> {
  const bank = given === undefined ? config.bank : readBank(given)
  const clock = systemClock()
  const startedAt = clock.monotonic()
  const passwords = await createPasswords()
  const secrets = Object.fromEntries(roles.map((role) => [role, newSecret().slice(0, 20)]))
  const bar = createProgressBar(say, 'of a year')
  const filled = await withOpenDatabase(
    config,
    async (db, address) => {
      await prepareDatabase(address, say)
      await requireEmpty(db)
      await changeTimeZone(address, config.timeZone, clock)
      await changeCalendar(address, config, clock)
      const bankDays = await readDays(db)
      const end = bankDays.startOf(bankDays.dayOf(clock.now()))
      if (!bar) say('Filling the bank with a year …\n')
      const year = { seed, start: end - days * dayMs, end, bank, days: bankDays }
      const people = await fill(db, {
        year,
        hasMembers: config.members,
        hash: (role: Role) => passwords.hash(secrets[role] as string),
        ...(bar && { progress: bar.draw }),
      })
      return { ...people, year }
    },
    { makesBank: true, readMs: longReadMs },
  )
  bar?.end()
  const seconds = Math.round((clock.monotonic() - startedAt) / 1000)
  say(`${filled.customers} customers and ${filled.transfers} transfers, in ${seconds} s.\n\n`)
  const url = config.publicUrl ?? `https://localhost:${config.httpsPort}`
  const where = config.portal ? ` at ${url}/portal/ while the bank runs` : ''
  say(`Log in as one of these${where}. The passwords are shown only once:\n`)
  for (const role of roles) {
    const login = `${role.padEnd(14)} ${exampleUsername(role).padEnd(14)} ${secrets[role]}`
    process.stdout.write(`  ${login}\n`)
  }
  say('All customers have the password of the one above.\n')
  if (config.members) {
    const [owner, payer, helper] = bakeryUsernames
    const others = `${payer} may pay, ${helper} may prepare`
    say(`A bakery has three people: ${owner} owns the account, ${others}.\n`)
    say('Two of them sign from 1,000 euros on, and a payment waits for that.\n')
  }
  if (given !== undefined) {
    say(`Start the bank with STRONGROOM_BANK=${given} and a name, STRONGROOM_BANK_NAME.\n`)
  }
  say('This takes that password, typed and Enter, and writes a statement to statement.pdf:\n\n')
  say(`  ${statementLine(config, url, filled.year)}\n`)
}

function readBank(text: string): BankCode {
  try {
    const bank = bankCode(text)
    const numbers = numbersOf(bank)
    if (typeof numbers === 'string') throw new Unusable(numbers)
    return bank
  } catch (thrown) {
    if (!(thrown instanceof Unusable)) throw thrown
    throw new StartupError(`--bank ${thrown.message}.`)
  }
}

/**
 * One line of shell: logs in, takes the first account, and asks for its last month as PDF. A
 * password in a command is kept by the shell, and other programs see it.
 */
function statementLine(config: Config, publicUrl: string, { end, days: ofBank }: Year): string {
  const bank = `${publicUrl}/api/v1`
  const [from, to] = [end - 30 * dayMs, end - 1].map(ofBank.dayOf)
  const curl = `curl -s --cacert '${path.join(config.dataDir, 'tls', 'ca.pem')}'`
  const login = JSON.stringify({ username: exampleUsername('customer'), password: '%s' })
  const field = (name: string) => `sed -E 's/.*"${name}":"([^"]*)".*/\\1/'`
  const bearer = '-H "authorization: Bearer $token"'
  return [
    `read -rs password; token=$(printf '${login}' "$password"`,
    `| ${curl} -H 'content-type: application/json' -d @- ${bank}/auth/login`,
    `| ${field('token')}); account=$(${curl} ${bearer} '${bank}/accounts?limit=1'`,
    `| ${field('id')}); ${curl} ${bearer} -o statement.pdf`,
    `"${bank}/accounts/$account/statement?format=pdf&from=${from}&to=${to}"`,
  ].join(' ')
}
