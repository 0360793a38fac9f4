// The command line: `npm run conformance -- --base-url https://… --admin-username … …`.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Options } from './bank.ts'
import { clauses } from './clauses.ts'
import { type Result, runAll } from './run.ts'
import { defaults, fields, routes, type Settings } from './settings.ts'

const usage = `Checks any server of the banking interface, clause by clause.

  --base-url URL           where it answers, such as https://localhost:8443
  --admin-username NAME    an administrator, who creates the people of the checks
  --admin-password TEXT    or the variable CONFORMANCE_ADMIN_PASSWORD
  --ca FILE                trusts this certificate authority (PEM)
  --quick                  leaves out what has to be waited for
  --only ID,ID             these clauses alone
  --report FILE            writes the results as JSON
  --settings FILE          JSON that replaces routes, fields and values of settings.ts
  --list                   prints the clauses
${Object.entries(defaults)
  .map(([name, value]) => `  --${dashed(name)} ${JSON.stringify(value)}`)
  .join('\n')}

Exit code: 0 all checked clauses hold, 1 some do not, 2 the bank could not be checked.
`

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const text = { type: 'string' } as const

/** Gives the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const values = Object.keys(defaults).map((name) => [dashed(name), text] as const)
  const { values: given } = parseArgs({
    args: [...argv],
    options: {
      'base-url': text,
      'admin-username': text,
      'admin-password': text,
      ca: text,
      only: text,
      report: text,
      settings: text,
      quick: { type: 'boolean' },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
      ...(Object.fromEntries(values) as Record<string, typeof text>),
    },
  })
  if (given.list === true) {
    for (const [id, about] of Object.entries(clauses)) say(`${id}: ${about}`)
    return 0
  }
  const password = given['admin-password'] ?? process.env['CONFORMANCE_ADMIN_PASSWORD']
  const [baseUrl, username] = [given['base-url'], given['admin-username']]
  if (given.help === true || !baseUrl || !username || !password) {
    say(usage)
    return given.help === true ? 0 : 2
  }
  const only = given.only?.split(',')
  const unknown = only?.find((id) => !(id in clauses))
  if (unknown !== undefined) throw new Error(`There is no clause ${unknown}; see --list`)
  const options: Options = {
    baseUrl,
    ca: given.ca === undefined ? undefined : readFileSync(given.ca, 'utf8'),
    admin: { username, password },
    isQuick: given.quick === true,
    settings: readSettings(given.settings, given),
  }
  const results = await runAll(options, only)
  for (const { outcome, id, detail, text: about } of results) {
    say(`${outcome.padEnd(7)} ${id}: ${about}${detail === undefined ? '' : ` [${detail}]`}`)
  }
  const count = (wanted: Result['outcome']) =>
    results.filter(({ outcome }) => outcome === wanted).length
  const summary = { holds: count('holds'), fails: count('fails'), skipped: count('skipped') }
  say(`${summary.holds} hold, ${summary.fails} fail, ${summary.skipped} were not checked.`)
  if (given.report !== undefined) {
    const report = { baseUrl, at: new Date().toISOString(), summary, results }
    writeFileSync(given.report, `${JSON.stringify(report, null, 2)}\n`)
  }
  return summary.fails > 0 ? 1 : 0
}

/** Defaults, then the file, then flags. */
function readSettings(file: string | undefined, flags: Record<string, unknown>): Settings {
  const read = file === undefined ? {} : (JSON.parse(readFileSync(file, 'utf8')) as Settings)
  const values = Object.entries({ ...defaults, ...read }).map(([name, value]) => {
    const flag = flags[dashed(name)]
    if (typeof flag !== 'string') return [name, value]
    if (typeof value === 'number' && !Number.isFinite(Number(flag))) {
      throw new Error(`--${dashed(name)} has to be a number`)
    }
    return [name, typeof value === 'number' ? Number(flag) : flag]
  })
  const merged = Object.fromEntries(values) as Settings
  return {
    ...merged,
    routes: { ...routes, ...(read as Partial<Settings>).routes },
    fields: { ...fields, ...(read as Partial<Settings>).fields },
  }
}

if (import.meta.main) {
  process.exitCode = await main(process.argv.slice(2)).catch((thrown: unknown) => {
    process.stderr.write(`${(thrown as Error).message}\n`)
    return 2
  })
}
