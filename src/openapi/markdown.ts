// Documents made from the tables they describe, so that they cannot say anything else. Pure: the
// caller writes the files, and a test compares them with what is rendered here.
import { defaultLimits, settingsTable, type Window } from '../config/config.ts'
import { codes, errorMessage, Refusal, errorStatus } from '../domain/errors.ts'
import { render } from '../http/error-response.ts'
import { gateSteps, stepsBeforeBody } from '../gate/gate.ts'
import { roles } from '../gate/roles.ts'
import { findCollections } from './names.ts'
import type { Route } from '../http/route.ts'

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
    generated('src/config/settings.ts'),
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
        status: errorStatus(code),
        row: [`${errorStatus(code)} ${error}`, `\`${code}\``, errorMessage(code)],
      }
    })
    .sort((one, other) => one.status - other.status)
    .map(({ row }) => row)
  return lines(
    '# Errors',
    '',
    generated('src/domain/errors.ts'),
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

/** docs/PERMISSIONS.md */
export function permissionsDocument(routes: readonly Route[]): string {
  const collections = Map.groupBy(findCollections(routes), ([, collection]) => collection)
  const tables = [...collections].flatMap(([collection, members]) => [
    '',
    `## ${collection}`,
    '',
    table(
      ['Route', ...roles, 'Limit class'],
      members.map(([{ method, path, access, limit }]) => [
        `\`${method} ${path.replace(/:(\w+)/g, '{$1}')}\``,
        ...roles.map((role) => (access === 'public' ? 'public' : (access[role] ?? '–'))),
        limit,
      ]),
    ),
  ])
  const classes = Object.entries(defaultLimits).map(([name, of]) => [
    `\`${name}\``,
    Object.entries(of)
      .map(([window, each]) => `${window} \`${windowText(each)}\``)
      .join(', '),
  ])
  return lines(
    '# Permissions',
    '',
    generated('the routes'),
    '',
    'Who may do what: the `access` and `limit` of the route objects, read by the gate and nothing',
    'else (`src/gate/gate.ts`). What is not listed is refused. Whether the state of things allows',
    'it, a frozen account say, the handler decides inside its transaction.',
    '',
    '- `public`: no token is needed.',
    '- `any`: every resource of that kind.',
    "- `own`: every identifier in path, query and body has to be the caller's own, each checked by",
    '  itself, and nested ones have to belong together.',
    '- `self`: the caller alone, by construction; no identifier of others can be named.',
    '- `–`: refused with 403.',
    '',
    'A caller with several roles has the strongest of their grants: `any`, `own`, `self`.',
    'The paths `/accounts`, `/transfers`, `/beneficiaries` and `/cards` without `/api/v1` are the',
    'same routes, and `HEAD` is `GET` without the body. Besides these routes there are',
    '`GET /openapi.json` and `GET /docs` with its files, public and, in place of `address`, under',
    'the `docs` class; `STRONGROOM_DOCS=off` removes them.',
    '',
    '## The order of the gate',
    '',
    'Each request passes these steps, and the first that refuses it answers. On a public route',
    'only steps 1 and 3 hold:',
    '',
    table(['Step', 'What has to hold', 'Else'], gateOrder),
    ...tables,
    '',
    '## Limit classes',
    '',
    'Every window of a class holds at once: at most that many requests in any span of that length.',
    'Classes of public routes count by client address (a login also by user name or device, a',
    'known refresh token by its session alone, a reset also by e-mail address), the others by',
    'user, and none by path. A wrong current password counts with the failed logins. These are',
    'the defaults; `STRONGROOM_LIMITS` replaces them, see [Configuration](CONFIGURATION.md).',
    '',
    table(['Class', 'Windows'], classes),
  )
}

/** The steps of the gate, with what the server does in between. */
const gateOrder = gateSteps
  .map(({ name, holds, refusal }, index) => [`${index + 1} ${name}`, holds, refusal])
  .toSpliced(stepsBeforeBody, 0, [
    'body',
    'Only now is the body read: its type, its size, its JSON, its schema.',
    '415, 413, 400',
  ])

const lines = (...all: string[]): string => `${all.join('\n')}\n`

const generated = (source: string): string =>
  `<!-- Generated from ${source} by src/openapi/markdown.ts; do not edit. -->`

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
