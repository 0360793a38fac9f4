// Whether a schema is one for this version: its own files made it, or those of a release that
// supports this one, and each statement of the program is prepared on it, all in one round trip,
// about 100 ms. PostgreSQL judges names, functions and types, and reads no row.
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import { refuse } from '../../domain/errors.ts'
import { StartupError } from '../../domain/startup-error.ts'
import {
  type Address,
  type AddressSource,
  createClient,
  type Database,
  serviceRole,
} from '../connections/connect.ts'
import {
  isAnswer,
  isDamage,
  isLockedOut,
  throwTranslated,
  translate,
} from '../connections/failure.ts'
import { appliedMigrations, knownMigrations, requireOwnFiles } from './migrations.ts'
import { requireOwnersSettings } from '../connections/session-settings.ts'
import { type Statement, statements } from '../statements/statement.ts'

/** Far more than it takes: a start is not cut off by a slow machine. */
const timeouts = { statementMs: 30_000, answerMs: 60_000 }

/** Far less than the two seconds after which a proxy takes an instance out that does not answer. */
const verdictWaitMs = 500
/** A judgement that a migration holds up gives way to it: the next check begins another. */
const briefly = [`-c lock_timeout=${verdictWaitMs}`]

/** PostgreSQL's names of types as the declarations write them. */
const spellings: Record<string, string> = {
  'timestamp with time zone': 'timestamptz',
  bigint: 'int8',
  integer: 'int4',
  smallint: 'int2',
  boolean: 'bool',
  character: 'bpchar',
}

const toDeclared = (type: string): string =>
  type.replace(/^[a-z ]+/, (name) => spellings[name] ?? name)

export type Prepared = { name: string; takes: string[]; gives: string[] | null }

/** Lists the prepared statements of a session. */
export const readPrepared = `select name, parameter_types::text[] as takes,
    result_types::text[] as gives
  from pg_prepared_statements`

type Types = { takes: string[]; gives: string[] }

/** The types that a statement declares, and those that PostgreSQL has found in it. */
export function typesOf(
  { takes, gives }: Statement,
  prepared: Prepared | undefined,
): [declared: Types, found: Types] {
  const withoutNull = (type: string) => type.replace(/\?$/, '')
  return [
    { takes: takes.map(withoutNull), gives: Object.values(gives).map(withoutNull) },
    {
      takes: (prepared?.takes ?? []).map(toDeclared),
      gives: (prepared?.gives ?? []).map(toDeclared),
    },
  ]
}

/** Said as soon as PostgreSQL prepares the statements, while this process waits. */
export type OnJudging = () => void

/**
 * Judges the files that made the schema, and prepares the statements that are loaded, as the role
 * of the service. Throws {@link StartupError} in one line for the first that does not fit.
 */
export async function requireFit(
  address: Address,
  { more = [], onJudging }: { more?: readonly string[]; onJudging?: OnJudging | undefined } = {},
): Promise<void> {
  const all = [...statements.values()]
  const commands = all.map(({ name, text }) => `prepare "${name}" as ${text};\n`)
  const client = createClient(address, serviceRole, timeouts, more)
  await client.connect()
  try {
    requireOwnFiles(await appliedMigrations(client), await knownMigrations())
    await requireOwnersSettings(client)
    const preparing = client.query<Prepared>(commands.join('') + readPrepared)
    onJudging?.()
    const results = await preparing
    const { rows } = [results].flat().at(-1) as pg.QueryResult<Prepared>
    const found = new Map(rows.map((row) => [row.name, row]))
    const misfit = all.find((each) => !isDeepStrictEqual(...typesOf(each, found.get(each.name))))
    if (misfit) throw unfit(misfit.name, 'its types')
  } catch (thrown) {
    if (!isAnswer(thrown) || translate(thrown) !== thrown || isDamage(thrown)) throw thrown
    throw unfit(nameAt(commands, Number.parseInt(thrown.position ?? '', 10)), thrown.message)
  } finally {
    await client.end()
  }
}

const unfit = (name: string, why: string): StartupError =>
  new StartupError(
    `The schema does not fit this version of Strongroom (${name}: ${why}): ` +
      'other files made the database.',
  )

/** The statement in which PostgreSQL found the error: it counts characters from 1. */
function nameAt(commands: readonly string[], position: number): string {
  let end = 0
  const at = commands.findIndex((command) => (end += command.length) >= position)
  return /^prepare "(\w+)"/.exec(commands[at] ?? '')?.[1] ?? 'a statement'
}

export type Fit = {
  /** Refuses with `unavailable` when the database does not answer, or its schema does not fit. */
  require(): Promise<void>
}

/**
 * Judges the schema again when it has other migrations than those that the start has run: the next
 * release leaves room for this one, later ones need not. While a migration holds a judgement up,
 * the one before it counts: else a migration would take all instances out of their proxy at once.
 */
export async function watchFit(db: Pick<Database, 'ping'>, source: AddressSource): Promise<Fit> {
  // Not the number of now: another instance may have migrated since the start judged the schema.
  let fittedTo = (await knownMigrations()).length
  let fitting: Promise<void> | undefined
  /** Why the last judgement that came to an end was not a good one. */
  let because: unknown
  async function fit(count: number): Promise<void> {
    try {
      await requireFit(typeof source === 'function' ? source() : source, { more: briefly })
      fittedTo = count
      because = undefined
    } catch (thrown) {
      if (!isLockedOut(thrown)) because = thrown
    }
  }
  return {
    async require() {
      const count = await db.ping()
      if (count === fittedTo) return
      fitting ??= fit(count).finally(() => (fitting = undefined))
      await Promise.race([fitting, sleep(verdictWaitMs, undefined, { ref: false })])
      if (because instanceof StartupError) refuse('unavailable', { outage: 'schema', because })
      if (because !== undefined) throwTranslated(because)
    },
  }
}
