// The commands that use a bank over its API, as any program does. No logic.
import { Command, InvalidArgumentError, Option } from 'commander'
import type * as Actions from './actions.ts'
import type { ListenOptions } from './listen.ts'
import type * as Lists from './lists.ts'
import type { ProcessorOptions } from './processor.ts'
import type { PayeesOptions } from './payees.ts'
import type { RailOptions } from './rail.ts'
import type { RailFilesOptions } from './rail-files.ts'
import type { TransferOptions } from './transfer.ts'
import { Ended, exitCodes, exitHelp } from './exit.ts'
import { homeFolder } from './login-file.ts'

const load = (): Promise<typeof Actions> => import('./actions.ts')

/** @param name what the person types for it */
export function clientCommand(name: string): Command {
  const client = new Command(name)
    .description('use a bank over its API: accounts, payments, statements')
    .addHelpText('afterAll', exitHelp)
    // Help that was asked for is no wrong usage.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodes.usage))
  add(client, 'login', 'log in; the password, or a key, is asked for or read from standard input')
    .option('--url <url>', 'where the bank is', 'https://localhost:8443')
    .option('--ca <file>', 'the certificate authority of the bank, and no other is trusted')
    .option('--username <name>', 'log in as a person')
    .option('--key', 'keep the key of a service account')
    .action(run((actions, options: Actions.LoginOptions) => actions.logIn(options)))
  add(
    client,
    'logout',
    'end the session, or forget the key; the device stays known to the bank',
  ).action(run((actions, options: Actions.Common) => actions.logOut(options)))
  add(client, 'accounts', 'list accounts').action(
    run((actions, options: Actions.Common) => actions.listAccounts(options)),
  )
  add(client, 'transfer', 'move money; accounts are given by identifier or IBAN')
    .requiredOption('--from <account>', 'the account that pays')
    .option('--to <account>', 'another account of yours')
    .option('--beneficiary <id>', 'a beneficiary of the account that pays')
    .requiredOption('--amount <amount>', 'such as 25.00')
    .option('--currency <code>', 'that of the account by default')
    .option('--reference <text>', 'up to 140 characters')
    .option('--key <key>', 'the idempotency key; with that of an earlier try it is paid once')
    .option('--payee-check <id>', 'the check of the payee that an earlier try has named')
    .option('--accept-payee', 'pay although the name of the payee does not match')
    .action(
      run(async (_, options: TransferOptions) => (await import('./transfer.ts')).transfer(options)),
    )
  add(client, 'statement', 'show a statement, or write its file')
    .argument('<account>', 'identifier or IBAN')
    .option('--from <day>', 'first day; by default that of this month')
    .option('--to <day>', 'last day')
    .addOption(new Option('--format <format>', 'a file').choices(['csv', 'pdf', 'camt053']))
    .option('--out <file>', 'where the file is written; standard output by default')
    .action(
      run((actions, options: Actions.StatementOptions, account = '') =>
        actions.writeStatement(account, options),
      ),
    )
  addLists(client)
  add(client, 'events', 'show what happened in the bank, oldest first; for staff')
    .option('--follow', 'go on with each event when it happens, until Ctrl-C')
    .option('--after <number>', 'only events with a greater number; `last`: only what comes')
    .option('--types <types>', 'only these, such as transfer.completed,account.frozen')
    .action(run((actions, options: Actions.EventsOptions) => actions.showEvents(options)))
  const webhooks = client.command('webhooks').description('for a program that takes webhooks')
  add(webhooks, 'listen', 'send events to a program under development, signed as webhooks are')
    .requiredOption('--forward-to <url>', 'where that program listens')
    .option('--after <number>', 'events with a greater number; by default those from now on')
    .option('--types <types>', 'only these, such as transfer.completed,account.frozen')
    .action(run(async (_, options: ListenOptions) => (await import('./listen.ts')).listen(options)))
  addOtherSide(client, 'rail', 'another bank to try this one with: it takes and sends payments')
    .option('--credit <ibans...>', 'pay to these accounts in each round')
    .option('--currency <code>', 'of these payments', 'EUR')
    .action(run(async (_, options: RailOptions) => (await import('./rail.ts')).rail(options)))
  addRailFiles(client)
  addOtherSide(client, 'processor', 'a processor of card payments to try this bank with')
    .option('--cards <ids...>', 'ask for a payment by each of these cards in each round')
    .option('--currency <code>', 'of these payments', 'EUR')
    .action(
      run(async (_, options: ProcessorOptions) =>
        (await import('./processor.ts')).processor(options),
      ),
    )
  add(client, 'payees', 'a responder for names at other banks; the last digit of an IBAN decides')
    .option('--port <number>', 'where it listens', toPort, 9470)
    .action(run(async (_, options: PayeesOptions) => (await import('./payees.ts')).payees(options)))
  return client
}

/** Payments to other banks as files. */
function addRailFiles(client: Command): void {
  add(client, 'rail-files', 'carry payments to other banks by files of ISO 20022, both ways')
    .requiredOption('--files <folder>', 'with `out` and `in`; give the same folder at each start')
    .requiredOption('--name <name>', 'of this bank')
    .option('--bic <bic>', 'of this bank')
    .option('--sponsor <iban>', 'pain.001 that pays from this account, in place of pacs.008')
    .option('--follow', 'go on until Ctrl-C; by default one round')
    .action(
      run(async (_, options: RailFilesOptions) =>
        (await import('./rail-files.ts')).railFiles(options),
      ),
    )
}

const loadLists = (): Promise<typeof Lists> => import('./lists.ts')
const listId = 'identifier of the list'

/** Many payments from a file. */
function addLists(client: Command): void {
  const lists = client.command('lists').description('many payments from a file: check, then pay')
  add(lists, 'send', 'check a list: pain.001 as XML, or JSON as of the API; nothing is paid yet')
    .argument('<file>', 'at most 2 MB and 1,000 payments')
    .requiredOption('--from <account>', 'the account that pays')
    .option('--key <key>', 'the idempotency key; with that of an earlier try it is one list')
    .action(
      run(async (_, options: Lists.SendOptions, file = '') =>
        (await loadLists()).sendList(file, options),
      ),
    )
  add(lists, 'show', 'show a list and what became of its lines')
    .argument('<list>', listId)
    .option('--refused', 'only lines that were refused')
    .action(
      run(async (_, options: Lists.ShowOptions, id = '') =>
        (await loadLists()).showList(id, options),
      ),
    )
  add(lists, 'execute', 'order a checked list to be paid; asks for a code if you have a factor')
    .argument('<list>', listId)
    .option('--key <key>', 'the idempotency key; with that of an earlier try it is ordered once')
    .action(
      run(async (_, options: Lists.ExecuteOptions, id = '') =>
        (await loadLists()).executeList(id, options),
      ),
    )
  add(lists, 'cancel', 'cancel a list of which no line was paid')
    .argument('<list>', listId)
    .action(
      run(async (_, options: Actions.Common, id = '') =>
        (await loadLists()).cancelList(id, options),
      ),
    )
  add(lists, 'report', 'write what became of each line as pain.002')
    .argument('<list>', listId)
    .option('--out <file>', 'where the file is written; standard output by default')
    .action(
      run(async (_, options: Lists.ReportOptions, id = '') =>
        (await loadLists()).reportList(id, options),
      ),
    )
}

/** A program that plays another bank or a network. */
function addOtherSide(client: Command, name: string, description: string): Command {
  return add(client, name, description)
    .requiredOption('--journal <file>', 'what it knows; give the same file at each start')
    .option('--rounds <number>', 'end after so many; by default with Ctrl-C', toCount)
}

/**
 * A command with the options that all of them have. The folder has no default here: a user without
 * a home has the commands that need none.
 */
function add(client: Command, name: string, description: string): Command {
  return client
    .command(name)
    .description(description)
    .option('--folder <path>', 'where the login is kept (default: ~/.strongroom)')
    .option('--json', 'JSON for programs, errors as well')
    .addOption(
      new Option('--wait <seconds>', 'how long to go on while the bank does not answer')
        .default(30)
        .argParser(toSeconds),
    )
}

function toSeconds(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('Whole seconds, at least 1.')
  return Number.parseInt(text, 10)
}

function toPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN
  if (!(port <= 65_535)) throw new InvalidArgumentError('A port, from 0 to 65535.')
  return port
}

function toCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('A whole number, at least 1.')
  return Number.parseInt(text, 10)
}

type Action<O> = (actions: typeof Actions, options: O, argument?: string) => Promise<void>

/** A signal ends a command as an aborted call: a payment that was sent tells its key. */
const run =
  <O extends Actions.Common>(action: Action<O>) =>
  async (...given: unknown[]): Promise<void> => {
    const actions = await load()
    const stop = new AbortController()
    const [argument, parsed] = given.length > 2 ? given : [undefined, given[0]]
    const options = parsed as { folder?: string; json?: boolean }
    const isJson = options.json ?? false
    process.stdout.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      // The reader of the output is gone, such as `head`.
      if (code === 'EPIPE') process.exit(exitCodes.done)
      const text = `The output cannot be written, and what was asked for may be done: ${message}`
      process.exit(actions.complain(new Ended('unwritten', text), isJson))
    })
    // A terminal and `npm run` both send SIGINT: the second one must not kill the command.
    process.on('SIGHUP', () => stop.abort(new Ended('hungUp', 'The terminal was closed.')))
    process.on('SIGINT', () => stop.abort(new Ended('interrupted', 'Interrupted.')))
    process.on('SIGTERM', () => stop.abort(new Ended('terminated', 'Terminated.')))
    process.exitCode = await actions.perform(isJson, async () => {
      const { folder = homeFolder() } = options
      const all = { ...options, folder, signal: stop.signal }
      await action(actions, all as unknown as O, argument as string | undefined)
    })
    // At once: Node.js lets go of the signals before it ends, and a further one would kill it.
    if (stop.signal.aborted) process.exit()
  }
