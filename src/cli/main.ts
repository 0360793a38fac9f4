// The command line. No logic.
import { Command } from 'commander'
import { type Config, environment, readConfig, settingsHelp } from '../config/config.ts'
import { release } from '../domain/release.ts'
import { clientCommand } from '../../client/cli/command.ts'
import { errorPriority, isJournal } from '../telemetry/journal.ts'
import { exitCodes, report } from './report.ts'

// By this name `ps` and `pgrep` find it, and its arguments are in no list of processes.
process.title = 'strongroom'

const say = (text: string) => void process.stderr.write(text)
/** Says a line that tells why a command failed. */
const complain = (line: string): void =>
  say(isJournal(2, environment()['JOURNAL_STREAM']) ? `${errorPriority}${line}` : line)

const proofHelp = `
Exit codes: 0 done; 1 the books are not sound; 2 wrong usage, or a setting or a file that
cannot be used; 3 any other failure, which says nothing about the books: run it again;
4 a page of the database is damaged; 129, 130 and 143 interrupted.`

/** Runs a command. One that fails ends the process. Each error is one line. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('strongroom')
    .description('A banking account service that is secure by default.')
    .version(release, '--version', 'print the version')
    .showHelpAfterError()
    // Help that was asked for is no wrong usage.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodes.unusable))
    .addHelpText('after', ({ error: isAfterError }) => (isAfterError ? '' : `\n${settingsHelp()}`))
  program
    .command('serve')
    .description('run the service until SIGTERM (default)')
    .action(run(async () => (await import('./serve.ts')).serve))
  program
    .command('migrate')
    .description('bring the database schema up to date, and create the keys that are missing')
    .action(run(async () => (await import('./migrate.ts')).migrateCommand))
  program
    .command('rotate-keys')
    .description('sign access tokens with a new key from now on')
    .option('--revoke', 'a key was stolen: refuse tokens of every earlier key at once')
    .action(run(async () => (await import('./rotate-keys.ts')).rotateKeys))
  program
    .command('rotate-secrets')
    .description('replace shared secrets (cursor, refresh, limit) and say what that ends')
    .argument('[names...]', 'the secrets to replace; all of them when none is named')
    .action(run(async () => (await import('./rotate-secrets.ts')).rotateSecretsCommand))
  program
    .command('create-admin')
    .description('add an administrator and print a generated password')
    .requiredOption('--username <name>', 'the user name to log in with')
    .requiredOption('--email <address>', 'where password resets are sent')
    .action(run(async () => (await import('./create-admin.ts')).createAdmin))
  addProofCommands(program)
  addRecordCommands(program)
  addAuditCommands(program)
  addMoveCommand(program)
  addImportCommands(program)
  program
    .command('psql')
    .description('a prompt on the database, to read; also for the embedded one')
    .option('-c, --command <statement>', 'run this one and end')
    .option('--owner', "with the owner's rights, after a word that is asked for")
    .action(run(async () => (await import('./psql.ts')).psql))
  program
    .command('end-sessions')
    .description(
      'end every session, link, known device and key of a service account; after a restore',
    )
    .action(run(async () => (await import('./end-sessions.ts')).endSessions))
  program
    .command('demo')
    .description('fill an empty bank with people and a year of transfers, and print logins')
    .option('--seed <text>', 'the same text gives the same year', 'strongroom')
    .option('--bank <code>', 'the code of its IBANs, such as AT/00077, in place of the setting')
    .action(run(async () => (await import('./demo.ts')).demo))
  program.addCommand(clientCommand('client'))
  program
    .command('ibans')
    .description('the numbers that a sponsor bank hands out, for STRONGROOM_IBANS')
    .option('--add <file>', 'add those of the file, one a line; all of them or none')
    .option('--left', 'print how many are left')
    .action(run(async () => (await import('./ibans.ts')).ibansCommand))
  try {
    // Not a default of the program's: a command that is not known would be taken for its argument.
    await program.parseAsync(argv.length > 2 ? argv : [...argv, 'serve'])
  } catch (thrown) {
    end(thrown)
  }
}

function addProofCommands(program: Command): void {
  program
    .command('verify')
    .description('recompute every balance and the hash chain of the ledger')
    .option('--heads <file>', 'write the last entry of every account there, to be kept elsewhere')
    .option('--since <file>', 'prove that the heads of an earlier run are still on their chains')
    .option('--only-new', 'prove what is new since these heads, and nothing that is older')
    .option('--cores <n>', 'prove with so many threads; half of the cores by default')
    .option('--archive <folder>', 'prove an archive too, up to where the books go on')
    .addHelpText('after', proofHelp)
    .action(
      run(
        async () => (await import('./verify.ts')).verifyCommand,
        'The books could not be verified',
      ),
    )
  program
    .command('close-day')
    .description('write the trial balance and the heads of all chains at the end of a day')
    .argument('<file>', 'where to; it must not exist. `verify --since` takes it')
    .option('--day <day>', 'such as 2026-01-31; the day before today by default')
    .addHelpText('after', proofHelp)
    .action(
      run(
        async () => (await import('./close-day.ts')).closeDayCommand,
        'The day could not be closed',
      ),
    )
}

/** The commands for what has to survive, and for what has to go. */
function addRecordCommands(program: Command): void {
  program
    .command('statements')
    .description("write every customer's statement of a month to a folder; goes on where it ended")
    .argument('<folder>', 'where to')
    .requiredOption('--month <month>', 'one that has been over for an hour, such as 2026-01')
    .option('--format <format>', 'pdf, camt053 or csv', 'pdf')
    .action(run(async () => (await import('./statements/statements.ts')).statementsCommand))
  program
    .command('backup')
    .description('copy the embedded bank, beside a running service too')
    .argument('<folder>', 'where to; it must not exist')
    .action(run(async () => (await import('./backup.ts')).backupCommand))
  program
    .command('restore')
    .description('put a backup into an empty data folder, end its sessions and revoke its keys')
    .argument('<folder>', 'the backup')
    .option(
      '--drill',
      'restore it beside the bank, prove its books, say how long it took, remove it',
    )
    .option('--scratch <folder>', 'where a drill restores to (default: the temporary folder)')
    .option('--expect-digest <digest>', 'refuse any other backup than the one that printed it')
    .option('--since <file>', 'prove that the heads of an earlier run of verify are in it')
    .addHelpText('after', proofHelp)
    .action(
      run(
        async () => (await import('./restore.ts')).restoreCommand,
        'The backup could not be restored',
      ),
    )
  program
    .command('erase')
    .description('erase personal data whose legal time is over; the books stay proven')
    .option('--before <day>', 'reference, name and IBAN of all transfers made before that day')
    .option('--person <userId>', 'all that is stored about a disabled user without open accounts')
    .option('--retention-years <n>', 'how long the law requires records', '10')
    .action(run(async () => (await import('./erase.ts')).eraseCommand))
  program
    .command('export-person')
    .description('write all that is stored about a person to standard output, as JSON')
    .argument('<user>', 'the identifier or the user name')
    .action(run(async () => (await import('./export-person.ts')).exportPerson))
}

function addAuditCommands(program: Command): void {
  program
    .command('archive')
    .description('move what was booked before a day from the database to a folder')
    .argument('<folder>', 'where to, or with --restore the newest archive')
    .option('--until <day>', 'the first day that stays, such as 2024-01-01')
    .option('--restore', 'put it back into the database')
    .addHelpText('after', proofHelp)
    .action(
      run(
        async () => (await import('./archive/archive.ts')).archiveCommand,
        'The archive is not done',
      ),
    )
  program
    .command('export-audit')
    .description('write the audit trail of whole months to a file, with its SHA-256')
    .argument('<file>', 'JSON lines; it must not exist')
    .requiredOption('--before <month>', 'all events before that month, such as 2026-01')
    .action(run(async () => (await import('./audit-file.ts')).exportAudit))
  program
    .command('drop-audit')
    .description('remove the events of an export from the database; the owner of the schema only')
    .argument('<file>', 'the export, whole and as it was written')
    .action(run(async () => (await import('./audit-file.ts')).dropAudit))
  program
    .command('restore-audit')
    .description('put the events of a dropped export back; the owner of the schema only')
    .argument('<file>', 'the export, whole and as it was written')
    .action(run(async () => (await import('./audit-file.ts')).restoreAudit))
}

function addMoveCommand(program: Command): void {
  program
    .command('move')
    .description('move the bank to another database, prove it there, and close this one')
    .option('--to <url>', 'the new database, as its owner; a password in a file only')
    .option('--to-file <file>', 'the file that holds that URL')
    .option('--from <url>', 'the former database; the configured one by default')
    .option('--from-file <file>', 'the file that holds that URL')
    .option('--take-back', 'use the former database again after all, and not the new one')
    .addHelpText('after', proofHelp)
    .action(run(async () => (await import('./move.ts')).moveCommand, 'The bank could not be moved'))
}

function addImportCommands(program: Command): void {
  program
    .command('import')
    .description('take over people, accounts, payees, orders and former entries of another bank')
    .argument('<folder>', 'files of the form of docs/import.schema.json')
    .option('--check', 'name what is wrong with the files, and write nothing')
    .action(run(async () => (await import('./import/import.ts')).importCommand))
  program
    .command('export')
    .description('write the bank as it is to a folder, in the form that import reads')
    .argument('<folder>', 'where to; it must not exist')
    .action(run(async () => (await import('./import/export.ts')).exportCommand))
  program
    .command('invite')
    .description('send imported people the link to set their first password')
    .requiredOption('--per-hour <n>', 'how many in an hour')
    .option('--dry-run', 'only say how many wait, and how long it would take')
    .action(run(async () => (await import('./import/invite.ts')).inviteCommand))
}

/** A listener that is open already would keep the process alive. */
const end = (thrown: unknown, unproven?: string) => process.exit(report(thrown, complain, unproven))

/** What a command does with its argument, if it has one, and its options. */
type Run<Inputs extends unknown[]> = (
  config: Config,
  print: typeof say,
  ...inputs: Inputs
) => Promise<void>

/**
 * Loads the code of one command only, and reads the configuration.
 *
 * @param unproven see {@link report}
 */
const run =
  <Inputs extends unknown[]>(load: () => Promise<Run<Inputs>>, unproven?: string) =>
  async (...inputs: Inputs): Promise<void> => {
    // Node ends with 1 for a defect, or when the reader of the output is gone.
    if (unproven !== undefined) process.once('uncaughtException', (thrown) => end(thrown, unproven))
    try {
      await (
        await load()
      )(readConfig(environment()), say, ...inputs)
    } catch (thrown) {
      end(thrown, unproven)
    }
  }
