// Documents made from the tables they describe, so that they cannot say anything else. Pure: the
// caller writes the files, and a test compares them with what is rendered here.
import { defaultLimits, settingsTable, type Window } from './config.ts'
import { codes, messageOf, Refusal, render, statusOf } from './errors.ts'

/** docs/CONFIGURATION.md */
export function configurationDocument(): string {
  const settings = settingsTable().map(({ name, standard, about, isSecret }) => [
    `\`${name}\``,
    standard,
    isSecret ? `${about} **Secret.**` : about,
  ])
  const windows = Object.entries(defaultLimits).flatMap(([name, of]) =>
    Object.entries(of).map(([window, each]) => [
      `\`${name}\``,
      `\`${window}\``,
      `\`${windowText(each)}\``,
    ]),
  )
  return lines(
    '# Configuration',
    '',
    generated('src/config-settings.ts'),
    '',
    'Every setting is an environment variable, and none is needed to start. What cannot be used',
    'stops the start with one line for each problem and exit code 2, and so does a `STRONGROOM_…`',
    'name that is not in the table: a misspelt setting would otherwise silently mean its default.',
    '',
    table(['Variable', 'Default', 'Meaning'], settings),
    '',
    '## How values are written',
    '',
    '- Durations: a whole number and `ms`, `s`, `m`, `h` or `d`, such as `500ms` or `12h`.',
    '- Sizes: a whole number and `KB` (1024 bytes) or `MB` (1024 KB), such as `64KB`.',
    '- Lists: separated by commas; spaces around the commas do not matter.',
    '- An empty value is refused. To get the default, remove the variable.',
    '- In a URL, special characters of a user name or a password are percent-encoded.',
    '- No message about a setting repeats its value.',
    '',
    'In Kubernetes, a service named `strongroom` puts variables such as `STRONGROOM_PORT` into the',
    'environment of its neighbours; set `enableServiceLinks: false` on the pod.',
    '',
    '## Encryption towards other servers',
    '',
    'The URL of a database on another host has to say `?sslmode=verify-full` (with',
    '`&sslrootcert=/path/ca.pem` for an authority of your own) or, where nobody else can reach the',
    'network between the two, `?sslmode=disable`. There is no mode in between. `rediss://` and',
    '`smtps://` are encrypted from the first byte.',
    '',
    '## Limits',
    '',
    'A window is written `count/duration`: at most that many in any span of that length. All',
    'windows of a class hold at once. `STRONGROOM_LIMITS` replaces single windows and leaves the',
    'others as they are, for example `{"read":{"burst":"1000/1s"},"reset":{"perEmail":"5/1h"}}`.',
    '',
    table(['Class', 'Window', 'Default'], windows),
  )
}

/** docs/ERRORS.md */
export function errorsDocument(): string {
  const rows = codes
    .map((code) => {
      const { error } = JSON.parse(render(new Refusal(code)).body) as { error: string }
      return {
        status: statusOf(code),
        row: [`${statusOf(code)} ${error}`, `\`${code}\``, messageOf(code)],
      }
    })
    .sort((one, other) => one.status - other.status)
    .map(({ row }) => row)
  return lines(
    '# Errors',
    '',
    generated('src/errors.ts'),
    '',
    'Every error has one body: `error` (the reason phrase), `code` (stable; programs decide by it)',
    'and `message` (one sentence for people). Only `invalid_request` adds `details`, a list of',
    '`{ "path", "message" }`. Nothing in it repeats what was sent.',
    '',
    '```json',
    render(new Refusal('insufficient_funds')).body,
    '```',
    '',
    table(['Status', 'Code', 'Message'], rows),
    '',
    'Header fields: 401 carries `WWW-Authenticate: Bearer`, 405 `Allow`, 429 and 503 `Retry-After`',
    'in whole seconds, and `duplicate_transfer` the `Location` of the first transfer. After',
    '`outcome_unknown`, repeat the request with the same `Idempotency-Key`.',
  )
}

const lines = (...all: string[]): string => `${all.join('\n')}\n`

const generated = (source: string): string =>
  `<!-- Generated from ${source} by src/documents.ts; do not edit. -->`

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n')
}

const units = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const

/** A window as an operator writes it: `10/1s`. */
export const windowText = ({ quota, windowMs }: Window): string =>
  `${quota}/${durationText(windowMs)}`

/** The way an operator writes it, in the largest unit that leaves a whole number. */
function durationText(milliseconds: number): string {
  const unit = units.find(([, length]) => milliseconds % length === 0)
  return unit ? `${milliseconds / unit[1]}${unit[0]}` : `${milliseconds}ms`
}
