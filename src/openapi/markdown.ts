// The generated regions of the Markdown documents. Each is made from a table that the code reads;
// all other text stands in the document itself.
import { defaultLimits, settingsTable, type Window } from '../config/config.ts'
import { codes, errorMessage, errorStatus, Refusal } from '../domain/errors.ts'
import { render } from '../http/error-response.ts'
import { gateSteps, stepsBeforeBody } from '../gate/gate.ts'
import type { MemberRight } from '../gate/members.ts'
import { type Grant, roles, type ServiceUse } from '../gate/roles.ts'
import type { Route } from '../http/route.ts'

type Regions = Readonly<Record<string, string>>

/** By the path of each document, its regions. */
export const generatedRegions = (routes: readonly Route[]): Readonly<Record<string, Regions>> => ({
  'docs/CONFIGURATION.md': { settings: settingsRows(), windows: windowRows() },
  'docs/ERRORS.md': { codes: `${errorExample()}\n\n${codeRows()}` },
  'docs/PERMISSIONS.md': { gate: gateRows(), routes: routeRows(routes) },
})

const region = /(?<=<!-- generated: (\w+) -->\n)[^]*?(?=<!-- \/generated -->)/g

/** The document with its regions written anew. Throws unless it has exactly these, in order. */
export function fillRegions(document: string, regions: Regions): string {
  const found = [...document.matchAll(region)].map(([, name]) => name).join(', ')
  const expected = Object.keys(regions).join(', ')
  if (found !== expected) {
    throw new Error(`The document has the regions ${found}, not ${expected}`)
  }
  return document.replace(region, (_, name: string) => `\n${regions[name]}\n\n`)
}

const settingsRows = (): string =>
  table(
    ['Variable', 'Default', 'Meaning'],
    settingsTable().map(({ name, standard, about, isSecret }) => [
      `\`${name}\``,
      standard,
      isSecret ? `${about} **Secret**: also by file.` : about,
    ]),
  )

const windowRows = (): string =>
  table(
    ['Class', 'Windows'],
    Object.entries(defaultLimits).map(([limitClass, windows]) => [
      `\`${limitClass}\``,
      Object.entries(windows)
        .map(([name, window]) => `${name} \`${windowText(window)}\``)
        .join(', '),
    ]),
  )

const errorExample = (): string =>
  `\`\`\`json\n${render(new Refusal('insufficient_funds')).body}\n\`\`\``

const codeRows = (): string =>
  table(
    ['Status', 'Code', 'Message'],
    codes
      .toSorted((one, other) => errorStatus(one) - errorStatus(other))
      .map((code) => [String(errorStatus(code)), `\`${code}\``, errorMessage(code)]),
  )

/** The steps of the gate, and between them what the server does. */
const gateRows = (): string =>
  table(
    ['Step', 'Condition', 'Else'],
    gateSteps
      .map(({ name, requires, refusal }, index) => [`${index + 1} ${name}`, requires, refusal])
      .toSpliced(stepsBeforeBody, 0, [
        'body',
        'The body is read: its type, its size, its JSON, its schema.',
        '415, 413, 400',
      ]),
  )

/** The grant of a service account as an administrator gives it. */
const grantName = (service: ServiceUse, operation: string): string =>
  ({ read: 'readAccounts', pay: 'payFrom', operation })[service]

/** With the right of members beside that of the owner: `own+view`. */
export const grantText = (grant: Grant | undefined, member: MemberRight | undefined): string =>
  grant === 'own' && member ? `own+${member}` : (grant ?? '–')

/** A line of text for each route, in columns that can be read without a browser. */
function routeRows(routes: readonly Route[]): string {
  const rows = routes.map(({ method, path, access, member, service, operation, limit }) => [
    method,
    path.replace(/:(\w+)/g, '{$1}'),
    access === 'public' ? access : roles.map((role) => grantText(access[role], member)).join('/'),
    access === 'public' ? access : service === undefined ? '–' : grantName(service, operation),
    limit,
  ])
  rows.unshift(['', 'route', roles.join('/'), 'service account', 'limit class'])
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, index) => Math.max(widest[index] ?? 0, cell.length)),
    [],
  )
  const line = (row: readonly string[]) =>
    row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')
  return ['```', ...rows.map((row) => line(row).trimEnd()), '```'].join('\n')
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(headings), `|${headings.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

const units = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

/** A window as an operator writes it, in the largest unit that leaves a whole number: `10/1s`. */
export function windowText({ quota, windowMs }: Window): string {
  const [unit, ms] = Object.entries(units).find(([, length]) => windowMs % length === 0) ?? [
    'ms',
    1,
  ]
  return `${quota}/${windowMs / ms}${unit}`
}
