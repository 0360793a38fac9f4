// The command line. No logic.
import { Command } from 'commander'
import { ConfigError, environment, readConfig, settingsHelp } from '../config/config.ts'
import { StartupError } from '../domain/startup-error.ts'

const say = (text: string) => void process.stderr.write(text)
const unusable = 2
const failed = 1

/** Runs one command; one that fails ends the process. Errors are one clear line each. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('strongroom')
    .description('A banking account service that is secure by default.')
    .showHelpAfterError()
    .addHelpText('after', () => `\n${settingsHelp()}`)
  program
    .command('serve', { isDefault: true })
    .description('run the service until SIGTERM (default)')
    .action(async () => {
      const { serve } = await import('./serve.ts')
      await serve(readConfig(environment()), say)
    })
  program
    .command('migrate')
    .description('bring the database schema up to date, and make the keys that are missing')
    .action(async () => {
      const { migrateCommand } = await import('./migrate.ts')
      await migrateCommand(readConfig(environment()), say)
    })
  program
    .command('rotate-keys')
    .description('sign access tokens with a new key from now on')
    .option('--revoke', 'a key was stolen: refuse tokens of every earlier key at once')
    .action(async (options: { revoke?: boolean }) => {
      const { rotateKeys } = await import('./rotate-keys.ts')
      await rotateKeys(readConfig(environment()), options, say)
    })
  program
    .command('rotate-secrets')
    .description('replace shared secrets (cursor, refresh, limit) and say what that ends')
    .argument('[names...]', 'the secrets to replace; all of them when none is named')
    .action(async (names: string[]) => {
      const { rotateSecretsCommand } = await import('./rotate-secrets.ts')
      await rotateSecretsCommand(readConfig(environment()), names, say)
    })
  program
    .command('create-admin')
    .description('add an administrator and print a generated password')
    .requiredOption('--username <name>', 'the user name to log in with')
    .requiredOption('--email <address>', 'where password resets are sent')
    .action(async (options: { username: string; email: string }) => {
      const { createAdmin } = await import('./create-admin.ts')
      await createAdmin(readConfig(environment()), options, say)
    })
  program
    .command('verify')
    .description('recompute every balance and the hash chain of the ledger; exit 1 on a mismatch')
    .option('--heads <file>', 'write the last entry of every account there, to be kept elsewhere')
    .option('--since <file>', 'prove that the heads of an earlier run are still on their chains')
    .action(async (options: { heads?: string; since?: string }) => {
      const { verifyCommand } = await import('./verify.ts')
      await verifyCommand(readConfig(environment()), options, say)
    })
  program
    .command('erase')
    .description('erase personal data whose legal time is over; the books stay proven')
    .option('--before <day>', 'reference, name and IBAN of all transfers made before that day')
    .option('--person <userId>', 'all that is kept of a disabled user without open accounts')
    .option('--retention-years <n>', 'how long the law asks for records', '10')
    .action(async (options: { before?: string; person?: string; retentionYears: string }) => {
      const { eraseCommand } = await import('./erase.ts')
      await eraseCommand(readConfig(environment()), options, say)
    })
  program
    .command('export-person')
    .description('write all that is kept of a person to standard output, as JSON')
    .argument('<user>', 'the identifier or the user name')
    .action(async (who: string) => {
      const { exportPerson } = await import('./export-person.ts')
      await exportPerson(readConfig(environment()), who)
    })
  program
    .command('end-sessions')
    .description('end every session, reset link and known device; after restoring a backup')
    .action(async () => {
      const { endSessions } = await import('./end-sessions.ts')
      await endSessions(readConfig(environment()), say)
    })
  program
    .command('demo')
    .description('fill an empty bank with people and a year of transfers, and print ways in')
    .option('--seed <text>', 'the same text gives the same year', 'strongroom')
    .action(async (options: { seed: string }) => {
      const { demo } = await import('./demo.ts')
      await demo(readConfig(environment()), options, say)
    })
  try {
    await program.parseAsync([...argv])
  } catch (thrown) {
    // At once: a listener it had opened already would keep a service alive that never gets ready.
    process.exit(report(thrown))
  }
}

function report(thrown: unknown): number {
  if (thrown instanceof ConfigError) {
    for (const line of thrown.lines) say(`${line}\n`)
    return unusable
  }
  say(`${(thrown as Error).message.split('\n', 1)[0]}\n`)
  return thrown instanceof StartupError ? unusable : failed
}
