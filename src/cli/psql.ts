// `strongroom psql`: a prompt on the database, where PostgreSQL's own is not at hand: the embedded
// one brings none. It reads, unless the owner's rights are asked for with a word.
import { createInterface } from 'node:readline'
import pg from 'pg'
import { toTable, withoutControls } from '../../client/cli/table.ts'
import { addEvents, commandEvent } from '../audit/sql.ts'
import type { Config } from '../config/config.ts'
import {
  type Address,
  createClient,
  type Database,
  serviceRole,
} from '../database/connections/connect.ts'
import { transaction } from '../database/connections/transaction.ts'
import { systemClock } from '../domain/clock.ts'
import { StartupError } from '../domain/startup-error.ts'
import { serviceLogin } from '../gate/provision.ts'
import { longReadMs, withOpenDatabase, withOwner } from './database.ts'

type Say = (text: string) => void
type Options = { owner?: boolean; command?: string }

const help = `\\q  end   \\d  tables   \\d NAME  columns   \\x  one column a line   \\set NAME 'VALUE', used as :'NAME'
A statement ends with ; at the end of a line.
`
/** What gives the owner's rights when it is typed. */
const ownersWord = 'owner'
/** An open transaction of the owner holds its locks for so long at most without a statement. */
const idleMs = 60_000

export async function psql(config: Config, say: Say, options: Options): Promise<void> {
  const { stdin, stderr } = process
  const terminal = stdin.isTTY && options.command === undefined
  const reader = createInterface({ input: stdin, output: stderr, terminal })
  const lines = reader[Symbol.asyncIterator]()
  const ask = async (question: string): Promise<string | undefined> => {
    reader.setPrompt(question)
    if (terminal) reader.prompt()
    const { value, done } = await lines.next()
    return done === true ? undefined : value
  }
  try {
    const prompt: Prompt = { say, ask, isTerminal: terminal, command: options.command }
    if (options.owner !== true) {
      await withOpenDatabase(config, (db, address) => readAt(prompt, config, db, address), {
        needsPrimary: false,
      })
      return
    }
    say(`With the owner's rights a statement can change the books. Type ${ownersWord} to go on.\n`)
    if ((await ask('> ')) !== ownersWord) throw new StartupError('Nothing was opened.')
    await withOwner(config, async (db, address) => {
      await record(db, 'with the rights of the owner')
      await converse(prompt, await connect(address, undefined), { isReading: false })
    })
  } finally {
    reader.close()
  }
}

async function readAt(
  prompt: Prompt,
  { databaseUrl }: Config,
  db: Database,
  address: Address,
): Promise<void> {
  // A standby has no trail to write to.
  await record(db, 'to read').catch(() => prompt.say('This is not in the audit trail.\n'))
  // The embedded database has a login that can become nothing else than the service's role.
  const login =
    databaseUrl === undefined && !('connectionString' in address)
      ? await serviceLogin(address)
      : address
  await converse(prompt, await connect(login, serviceRole), { isReading: true })
}

const record = (db: Database, detail: string): Promise<unknown> => {
  const event = commandEvent(systemClock().now(), { action: 'openPrompt', detail })
  return transaction(db, (tx) => addEvents(tx, [event]))
}

async function connect(address: Address, role: string | undefined): Promise<pg.Client> {
  const idle = [`-c idle_in_transaction_session_timeout=${idleMs}`]
  const timeouts = { statementMs: longReadMs, answerMs: 0 }
  const client = createClient(address, role, timeouts, idle)
  await client.connect()
  return client
}

type Prompt = {
  say: Say
  /** The next line that is typed; undefined at the end. */
  ask(question: string): Promise<string | undefined>
  isTerminal: boolean
  /** The one statement; without it they are read from standard input. */
  command: string | undefined
}
type State = { variables: Map<string, string>; isExpanded: boolean }

/** Runs what is typed until its end. On a terminal a statement that fails ends nothing. */
async function converse(
  { say, ask, isTerminal, command }: Prompt,
  client: pg.Client,
  { isReading }: { isReading: boolean },
): Promise<void> {
  const state: State = { variables: new Map(), isExpanded: false }
  const run = isReading ? runReading : runAsTyped
  const perform = async (text: string): Promise<void> => {
    const results = await run(client, substitute(text, state))
    process.stdout.write(toText(results, state.isExpanded))
  }
  try {
    if (command !== undefined) return await perform(command)
    if (isTerminal) say(help)
    // Ends with the input, or when a person ends it.
    for (let text = ''; ;) {
      const line = await ask(text === '' ? `bank${isReading ? '=>' : '=#'} ` : '   > ')
      if (line === undefined || /^\\q\s*$/.test(line)) return
      if (text === '' && line.trim() === '') continue
      text += text === '' && line.startsWith('\\') ? (obey(line, state) ?? '') : `${line}\n`
      if (!/;\s*$/.test(text)) continue
      await perform(text).catch((thrown: unknown) => {
        if (!isTerminal || !(thrown instanceof pg.DatabaseError)) throw thrown
        say(`${withoutControls(thrown.message)}\n`)
      })
      text = ''
    }
  } finally {
    await client.end()
  }
}

/** Does what a line with a backslash asks for. Gives the statement that it stands for, if any. */
function obey(line: string, state: State): string | undefined {
  const [, name = '', value = ''] = /^\\set\s+(\w+)\s+'?([^']*)'?\s*$/.exec(line) ?? []
  const [, table] = /^\\d(?:\s+(\w+))?\s*$/.exec(line) ?? []
  if (name !== '') state.variables.set(name, value)
  else if (/^\\x\s*$/.test(line)) state.isExpanded = !state.isExpanded
  else if (table !== undefined)
    return `select column_name, data_type, is_nullable from information_schema.columns
      where table_schema = 'strongroom' and table_name = ${pg.escapeLiteral(table)}
      order by ordinal_position;`
  else if (/^\\d\s*$/.test(line))
    return `select table_name, table_type from information_schema.tables
      where table_schema = 'strongroom' order by table_name;`
  else process.stderr.write(help)
  return undefined
}

const substitute = (text: string, { variables }: State): string =>
  text.replaceAll(/:'(\w+)'/g, (whole, name: string) => {
    const value = variables.get(name)
    return value === undefined ? whole : pg.escapeLiteral(value)
  })

type Result = pg.QueryArrayResult<(string | null)[]>

/** The extended protocol takes one statement, so none can end the transaction before another. */
const single = (client: pg.Client, text: string): Promise<Result> =>
  client.query({
    text,
    rowMode: 'array',
    queryMode: 'extended',
    types: { getTypeParser: () => (value: unknown) => value },
  } as pg.QueryArrayConfig)

/**
 * PostgreSQL itself keeps it from writing: a transaction that is read-only, has read, and so can
 * never become another one.
 */
async function runReading(client: pg.Client, text: string): Promise<Result> {
  await client.query('begin read only; select 1')
  try {
    return await single(client, text)
  } finally {
    await client.query('rollback')
  }
}

const runAsTyped = single

function toText({ command, fields, rows, rowCount }: Result, isExpanded: boolean): string {
  const names = fields.map(({ name }) => name)
  if (names.length === 0) return `${command} ${rowCount ?? ''}`.trimEnd() + '\n'
  const total = `(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})\n`
  if (!isExpanded) return toTable(names, rows) + total
  const sides = rows.map((row) =>
    row.map((cell, at): [string, string | null] => [names[at] as string, cell]),
  )
  return sides.map((side, at) => toTable([`row ${at + 1}`, ''], side)).join('\n') + total
}
