// Environment → one frozen, typed object. The only reader of process.env.
import { type Setting, settings } from './settings.ts'
import { Unusable } from './values.ts'
import { nearest } from './did-you-mean.ts'
import { passwordProblem } from '../domain/password-rules.ts'

export { defaultLimits, type LimitClass, type LimitTable, type Window } from './limits.ts'

/** What the service runs with: durations in milliseconds, sizes in bytes, paths absolute. */
export type Config = { readonly [K in Key]: ValueOf<(typeof settings)[K]> }

/** The configuration cannot be used: one line per problem, none of them with a setting's value. */
export class ConfigError extends Error {
  readonly lines: readonly string[]
  constructor(lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** The environment of this process, as it is now. */
export const environment = (): Environment => ({ ...process.env })

/** Throws {@link ConfigError} with everything that is wrong, not only the first thing. */
export function readConfig(env: Environment): Config {
  const problems = unknownNames(env)
  const values: Partial<Record<Key, unknown>> = {}
  for (const key of keys) {
    try {
      values[key] = read(settings[key], env)
    } catch (thrown) {
      if (!(thrown instanceof Unusable)) throw thrown
      problems.push(...thrown.reasons.map((reason) => `${settingName(key)} ${sentence(reason)}`))
    }
  }
  for (const [isBroken, line] of relations) {
    if (isBroken(values as Partial<Config>, env)) problems.push(line)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(values as Config)
}

/** A setting as the documents show it; `standard` and `about` are Markdown. */
export type SettingRow = {
  name: string
  standard: string
  about: string
  isSecret: boolean
}

export const settingsTable = (): readonly SettingRow[] =>
  keys.map((key) => {
    const setting: AnySetting = settings[key]
    return {
      name: settingName(key),
      standard: 'standard' in setting ? `\`${setting.standard}\`` : setting.otherwise,
      about: setting.about,
      isSecret: setting.isSecret ?? false,
    }
  })

/** The settings for `--help`: plain text, at most 100 columns. */
export function settingsHelp(): string {
  const plain = (markdown: string) => markdown.replaceAll('`', '')
  const entries = settingsTable().map(({ name, standard, about }) =>
    [name, `    ${plain(about)}`, `    Default: ${plain(standard)}`].join('\n'),
  )
  return `Settings (environment variables):\n\n${entries.join('\n')}\n`
}

type Key = keyof typeof settings
type AnySetting = Setting<unknown>
type ValueOf<S> = S extends Setting<infer T> ? T : never

const prefix = 'STRONGROOM_'
const keys = Object.keys(settings) as Key[]
const settingName = (key: Key): string => prefix + settings[key].name
const sentence = (text: string): string => (/[.?]$/.test(text) ? text : `${text}.`)

/**
 * A setting that is given but empty is refused, not taken as absent: a secret store that hands out
 * nothing must not turn the bank's database into a new, empty one.
 */
function read(setting: AnySetting, env: Environment): unknown {
  const text = env[prefix + setting.name]
  if (text === '') throw new Unusable('is empty; give it a value or remove it')
  if (text !== undefined) return setting.parse(text)
  return 'standard' in setting ? setting.parse(setting.standard) : setting.absent
}

/** A misspelt name, also one in lower case, would otherwise silently mean the default. */
function unknownNames(env: Environment): string[] {
  const names = keys.map((key) => settings[key].name)
  return Object.keys(env)
    .filter((name) => env[name] !== undefined && name.toUpperCase().startsWith(prefix))
    .filter((name) => !names.includes(name.slice(prefix.length)) || !name.startsWith(prefix))
    .map((name) => {
      const shown = name.replace(/[^\x21-\x7e]/g, '?').slice(0, 64)
      const meant = nearest(name.slice(prefix.length).toUpperCase(), names)
      return `${shown} is not a setting; did you mean ${prefix}${meant}?`
    })
}

const isGiven = (env: Environment, key: Key): boolean => env[settingName(key)] !== undefined

/** False when one of the two could not be read: that has its own line. */
const exceeds = (one: number | undefined, other: number | undefined): boolean =>
  one !== undefined && other !== undefined && one > other

/** 0 is not a port: no two listeners share it. */
const areEqualPorts = (one: number | undefined, other: number | undefined): boolean =>
  one !== undefined && one !== 0 && one === other

/** What has to hold between settings. */
const relations: [(config: Partial<Config>, env: Environment) => boolean, string][] = [
  [
    (_, env) => isGiven(env, 'tlsCert') !== isGiven(env, 'tlsKey'),
    'STRONGROOM_TLS_CERT and STRONGROOM_TLS_KEY have to be given together.',
  ],
  [
    (_, env) => isGiven(env, 'smtpUrl') && !isGiven(env, 'mailFrom'),
    'STRONGROOM_SMTP_URL needs STRONGROOM_MAIL_FROM, the address that mails are sent from.',
  ],
  [
    (config) => exceeds(config.sessionIdle, config.sessionMax),
    'STRONGROOM_SESSION_IDLE may not be longer than STRONGROOM_SESSION_MAX.',
  ],
  [
    (config) => exceeds(config.tokenTtl, config.sessionMax),
    'STRONGROOM_TOKEN_TTL may not be longer than STRONGROOM_SESSION_MAX.',
  ],
  [
    (config) => exceeds(config.tokenTtl, config.sessionKeep),
    'STRONGROOM_TOKEN_TTL may not be longer than STRONGROOM_SESSION_KEEP.',
  ],
  [
    (config) => areEqualPorts(config.httpsPort, config.httpPort),
    'STRONGROOM_HTTPS_PORT and STRONGROOM_HTTP_PORT have to differ.',
  ],
  [
    (config) =>
      areEqualPorts(config.metricsPort, config.httpsPort) ||
      areEqualPorts(config.metricsPort, config.httpPort),
    'STRONGROOM_METRICS_PORT has to differ from the other ports.',
  ],
  [
    ({ adminPassword, adminUsername }) =>
      adminPassword !== undefined && passwordProblem(adminPassword, adminUsername) !== undefined,
    'STRONGROOM_ADMIN_PASSWORD contains the user name.',
  ],
]
