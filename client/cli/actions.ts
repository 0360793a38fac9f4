// What the commands of `strongroom client` do. Data goes to standard output, all else to standard
// error.
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import tls from 'node:tls'
import {
  type Bank,
  createClient,
  isBankError,
  type TokenStore,
  type Transaction,
} from '../src/index.ts'
import { describeFailure, UsageError } from './exit.ts'
import { isOpen, type Login, readLogin, toTokenStore, writeLogin } from './login-file.ts'
import { type Ask, withSecrets } from './secret.ts'
import { toTable } from './table.ts'

export type Common = { folder: string; json?: boolean; wait: number; signal: AbortSignal }

export const show = (text: string): void => void process.stdout.write(text)
export const showJson = (value: unknown): void => show(`${JSON.stringify(value)}\n`)

/** Runs a command. Gives the exit code. */
export async function perform(isJson: boolean, command: () => Promise<void>): Promise<number> {
  try {
    await command()
    return 0
  } catch (thrown) {
    return complain(thrown, isJson)
  }
}

/** Says on standard error what went wrong. Gives the exit code. */
export function complain(thrown: unknown, isJson: boolean): number {
  const { text, exitCode } = describeFailure(thrown, isJson)
  process.stderr.write(`${text}\n`)
  return exitCode
}

async function connect(login: Login, tokens: TokenStore, { wait }: Common): Promise<Bank> {
  if (login.ca !== undefined) {
    const ca = await readFile(login.ca, 'utf8').catch(() => {
      throw new UsageError(`${login.ca} cannot be read`)
    })
    // The bank's own authority, and no other.
    tls.setDefaultCACertificates([ca])
  }
  try {
    const { baseUrl, key: token } = login
    return createClient({ baseUrl, token, tokens, deadlineSeconds: wait })
  } catch (thrown) {
    throw new UsageError((thrown as Error).message)
  }
}

export async function connectAgain(options: Common): Promise<Bank> {
  const { folder } = options
  const login = await readLogin(folder)
  if (!login || !isOpen(login)) {
    throw new UsageError('No login is kept here: run the command `login` first.')
  }
  return connect(login, toTokenStore(folder, login), options)
}

export type LoginOptions = Common & { url: string; ca?: string; username?: string; key?: boolean }

export async function logIn(options: LoginOptions): Promise<void> {
  const { folder, url: baseUrl, username, signal } = options
  if ((username === undefined) !== (options.key ?? false)) {
    throw new UsageError('Give either --username or --key.')
  }
  const kept = await readLogin(folder)
  const { deviceToken } = kept?.baseUrl === baseUrl ? (kept.tokens ?? {}) : {}
  const login: Login = {
    baseUrl,
    ...(options.ca !== undefined && { ca: path.resolve(options.ca) }),
    ...(deviceToken && { tokens: { deviceToken } }),
  }
  // What was kept before stays until the bank has opened the session.
  const store: TokenStore = {
    read: () => login.tokens ?? {},
    write: (tokens) => writeLogin(folder, { ...login, tokens }),
  }
  const bank = await connect(login, store, options)
  if (username !== undefined) {
    return withSecrets(signal, (ask) => logInAs(bank, username, ask, signal))
  }
  const key = await withSecrets(signal, (ask) => ask('Key: '))
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('This is not a key.')
  await writeLogin(folder, { ...login, key })
}

/** With a second factor where the bank asks for one: a code, or a recovery code. */
async function logInAs(bank: Bank, username: string, ask: Ask, signal: Common['signal']) {
  const device = 'Command line'
  const password = await ask('Password: ')
  try {
    await bank.auth.login({ username, password, device }, { signal })
  } catch (thrown) {
    if (!isBankError(thrown) || thrown.code !== 'second_factor_required') throw thrown
    const typed = (await ask('Code of your second factor: ')).trim()
    const proof = /^\d{6}$/.test(typed) ? { code: typed } : { recoveryCode: typed }
    const { id: challengeId } = thrown.challenge
    await bank.auth.completeLogin({ challengeId, device, ...proof }, { signal })
  }
}

export async function logOut(options: Common): Promise<void> {
  const login = await readLogin(options.folder)
  if (!login || !isOpen(login)) return
  const { key, ...rest } = login
  if (key !== undefined) return writeLogin(options.folder, rest)
  await (await connectAgain(options)).auth.logout(options)
}

export async function listAccounts(options: Common): Promise<void> {
  const bank = await connectAgain(options)
  const accounts = await bank.accounts.list({ limit: 100 }, options).toArray()
  if (options.json) return showJson(accounts)
  const rows = accounts.map(({ id, iban, name, currency, balance, available, status }) => [
    iban,
    name,
    balance,
    available,
    currency,
    status,
    id,
  ])
  const heading = ['IBAN', 'Name', 'Balance', 'Available', 'Currency', 'Status', 'Id']
  show(toTable(heading, rows, ['Balance', 'Available']))
}

/** The identifier of an account that is given by it or by its IBAN. */
export async function findAccount(bank: Bank, given: string, { signal }: Common): Promise<string> {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(given)) return given
  const wanted = given.replaceAll(' ', '').toUpperCase()
  for await (const { id, iban } of bank.accounts.list({ limit: 100 }, { signal })) {
    if (iban === wanted) return id
  }
  throw new UsageError(`You have no account ${given}.`)
}

export type StatementOptions = Common & {
  from?: string
  to?: string
  format?: 'csv' | 'pdf' | 'camt053'
  out?: string
}

export async function writeStatement(given: string, options: StatementOptions): Promise<void> {
  const { from, to, format, out, signal } = options
  const bank = await connectAgain(options)
  const accountId = await findAccount(bank, given, options)
  if (format !== undefined) {
    const file = await bank.accounts.statementFile(accountId, { from, to, format }, { signal })
    if (out === undefined) process.stdout.write(file.bytes)
    else await writeFile(out, file.bytes, { mode: 0o600 }).catch(refuseFile)
    return
  }
  if (out !== undefined) throw new UsageError('--out is for --format.')
  const entries: Transaction[] = []
  let cursor: string | undefined
  for (;;) {
    const page = await bank.accounts.statement(accountId, { from, to, cursor }, { signal })
    entries.push(...page.entries)
    cursor = page.nextCursor ?? undefined
    if (cursor !== undefined) continue
    if (options.json) return showJson({ ...page, entries })
    const { openingBalance, closingBalance, account } = page
    const rows = entries.map(({ createdAt, amount, balanceAfter, kind, ...entry }) => {
      const other = entry.counterparty?.name ?? ''
      return [createdAt.slice(0, 10), kind, other, entry.reference, amount, balanceAfter]
    })
    const heading = ['Day (UTC)', 'Kind', 'Counterparty', 'Reference', 'Amount', 'Balance']
    show(`${account.iban} ${account.currency}, ${page.from} to ${page.to}\n`)
    show(`Opening balance ${openingBalance}, closing balance ${closingBalance}\n`)
    show(toTable(heading, rows, ['Amount', 'Balance']))
    return
  }
}

function refuseFile(thrown: unknown): never {
  throw new UsageError(`The file cannot be written: ${(thrown as Error).message}`)
}

export type EventsOptions = Common & { follow?: boolean; after?: string; types?: string }

/** One line for each event at once, so that another program can read them from a pipe. */
export async function showEvents(options: EventsOptions): Promise<void> {
  const { after, types, signal, json: isJson } = options
  const feed = (await connectAgain(options)).events.list({ after, types }, { signal })
  for await (const event of options.follow ? feed.follow() : feed) {
    const { number, at, type, resourceId } = event
    if (isJson) showJson(event)
    else show(toTable([number.padStart(8), at, type.padEnd(22), resourceId ?? ''], []))
  }
}
