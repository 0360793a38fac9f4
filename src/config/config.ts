// Environment → one frozen, typed object. The only reader of process.env.
import { type Setting, settings } from './settings.ts'
import { readSecretFile } from './secret-file.ts'
import { Unusable } from './values.ts'
import { nearest } from './did-you-mean.ts'
import { type BankCode, numbersOf } from '../domain/bban.ts'
import { isBicOf } from '../domain/iban.ts'
import { currencies } from '../domain/money.ts'
import { passwordProblem } from '../domain/password-rules.ts'

export { type FactorPolicy, factorPolicies, payeeChecks } from './values.ts'
export {
  defaultLimits,
  type LimitClass,
  type LimitKey,
  type LimitTable,
  type Window,
} from './limits.ts'

/** What the service runs with: durations in milliseconds, sizes in bytes, paths absolute. */
export type Config = { readonly [K in Key]: ValueOf<(typeof settings)[K]> }

/** Whose IBANs are of this bank: the code of new ones first. */
export const ownBanks = ({ bank, bankAlso }: Pick<Config, 'bank' | 'bankAlso'>): BankCode[] => [
  bank,
  ...bankAlso,
]

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
export function readConfig(environment: Environment): Config {
  const problems = unknownNames(environment)
  const env = withSecretFiles(environment, problems)
  const values: Partial<Record<Key, unknown>> = {}
  for (const key of keys) {
    try {
      values[key] = read(settings[key], env)
    } catch (thrown) {
      if (!(thrown instanceof Unusable)) throw thrown
      problems.push(...toLines(settingName(key), thrown))
    }
  }
  problems.push(...findConflicts(values as Partial<Config>, env))
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(values as Config)
}

/** The settings as the documents show them, named with the prefix. */
export const settingsTable = (): readonly Omit<Setting<unknown>, 'parse' | 'absent'>[] =>
  keys.map((key) => ({ ...settings[key], name: settingName(key) }))

/** The settings for `--help`: plain text, at most 100 columns. */
export function settingsHelp(): string {
  const plain = (markdown: string) => markdown.replaceAll('`', '')
  const entries = settingsTable().map(({ name, standard, about, isSecret }) =>
    [
      name,
      `    ${plain(about)}`,
      ...(isSecret ? [`    A file that holds it: ${name}_FILE`] : []),
      `    Default: ${plain(standard)}`,
    ].join('\n'),
  )
  return `Settings (environment variables):\n\n${entries.join('\n')}\n`
}

type Key = keyof typeof settings
type DurationKey = 'sessionIdle' | 'sessionMax' | 'sessionKeep' | 'tokenTtl'
type ValueOf<S> = S extends Setting<infer T> ? T : never

const prefix = 'STRONGROOM_'
const keys = Object.keys(settings) as Key[]
const settingName = (key: Key): string => prefix + settings[key].name
const fileName = (key: Key): string => `${settingName(key)}_FILE`
const sentence = (text: string): string => (/[.?]$/.test(text) ? text : `${text}.`)
const toLines = (name: string, { reasons }: Unusable): string[] =>
  reasons.map((reason) => `${name} ${sentence(reason)}`)

/** With each secret that a file holds in the place of its own setting. */
function withSecretFiles(env: Environment, problems: string[]): Environment {
  const secrets: Record<string, string> = {}
  for (const key of keys.filter((each) => settings[each].isSecret)) {
    const [name, file] = [settingName(key), fileName(key)]
    const path = env[file]
    if (path === undefined) continue
    try {
      if (env[name] !== undefined) throw new Unusable(`and ${name} are both given; remove one`)
      if (path === '') throw new Unusable('is empty; give it a path or remove it')
      secrets[name] = readSecretFile(path)
    } catch (thrown) {
      if (!(thrown instanceof Unusable)) throw thrown
      problems.push(...toLines(file, thrown))
    }
  }
  return { ...env, ...secrets }
}

/**
 * A setting that is given but empty is refused, not taken as absent: a secret store that hands out
 * nothing must not turn the bank's database into a new, empty one.
 */
function read(setting: Setting<unknown>, env: Environment): unknown {
  const text = env[prefix + setting.name]
  if (text === '') throw new Unusable('is empty; give it a value or remove it')
  return text === undefined ? setting.absent() : setting.parse(text)
}

/** A misspelt name, also one in lower case, would otherwise silently mean the default. */
function unknownNames(env: Environment): string[] {
  const names = keys.flatMap((key) => {
    const { name, isSecret } = settings[key] as Setting<unknown>
    return isSecret ? [name, `${name}_FILE`] : [name]
  })
  return Object.keys(env)
    .filter((name) => env[name] !== undefined && name.toUpperCase().startsWith(prefix))
    .filter((name) => !names.includes(name.slice(prefix.length)) || !name.startsWith(prefix))
    .map((name) => {
      const shown = name.replace(/[^\x21-\x7e]/g, '?').slice(0, 64)
      const meant = nearest(name.slice(prefix.length).toUpperCase(), names)
      return `${shown} is not a setting; did you mean ${prefix}${meant}?`
    })
}

/** What has to hold between settings. A value that could not be read has its own line already. */
function findConflicts(config: Partial<Config>, env: Environment): string[] {
  const isGiven = (key: Key) => env[settingName(key)] !== undefined
  const mayNotExceed = (key: DurationKey, maxKey: DurationKey) =>
    (config[key] ?? 0) > (config[maxKey] ?? Infinity) &&
    `${settingName(key)} may not be longer than ${settingName(maxKey)}.`
  // Listeners on port 0 get different ports.
  const ports = [config.httpsPort, config.httpPort].filter((port) => port !== 0)
  const { adminUsername, adminPassword, confirmAbove, confirmSum, bic, bank, ibans } = config
  const { bankCheck: check } = config
  const numbers = bank === undefined || ibans === 'pool' ? undefined : numbersOf({ ...bank, check })
  // A file that cannot be read has its own line.
  const isNamed = (key: Key) => isGiven(key) || env[fileName(key)] !== undefined
  const isAllOrNone = (...group: Key[]) => new Set(group.map(isNamed)).size === 1
  const isForIssuer = (key: Key) =>
    isGiven(key) && !isGiven('oidcIssuer') && `${settingName(key)} needs STRONGROOM_OIDC_ISSUER.`
  const lines = [
    !isAllOrNone('oidcIssuer', 'oidcClientId', 'oidcClientSecret') &&
      'STRONGROOM_OIDC_ISSUER, STRONGROOM_OIDC_CLIENT_ID and STRONGROOM_OIDC_CLIENT_SECRET ' +
        'have to be given together.',
    isForIssuer('oidcCa'),
    isForIssuer('oidcFactor'),
    isForIssuer('oidcStaff'),
    isGiven('oidcIssuer') &&
      config.portal === false &&
      'STRONGROOM_OIDC_ISSUER needs the portal: staff sign in there.',
    isNamed('readDatabaseUrl') &&
      !isNamed('databaseUrl') &&
      'STRONGROOM_READ_DATABASE_URL needs STRONGROOM_DATABASE_URL, the primary of that standby.',
    isGiven('tlsCert') !== isGiven('tlsKey') &&
      'STRONGROOM_TLS_CERT and STRONGROOM_TLS_KEY have to be given together.',
    isGiven('smtpUrl') &&
      !isGiven('mailFrom') &&
      'STRONGROOM_SMTP_URL needs STRONGROOM_MAIL_FROM, the address that mails are sent from.',
    isGiven('smtpUrl') &&
      !isGiven('publicUrl') &&
      'STRONGROOM_SMTP_URL needs STRONGROOM_PUBLIC_URL, which the links in mails lead to.',
    isGiven('confirmAbove') &&
      currencies.some((one) => (confirmAbove?.[one] ?? 0n) > (confirmSum?.[one] ?? 0n)) &&
      'STRONGROOM_CONFIRM_ABOVE may not be more than STRONGROOM_CONFIRM_SUM.',
    typeof numbers === 'string' && `STRONGROOM_BANK ${numbers}.`,
    isGiven('payeeCheckSecret') &&
      !isGiven('payeeCheckUrl') &&
      'STRONGROOM_PAYEE_CHECK_SECRET needs STRONGROOM_PAYEE_CHECK_URL.',
    isGiven('payeeCheckUrl') &&
      config.payeeCheck === 'off' &&
      'STRONGROOM_PAYEE_CHECK_URL is not used while STRONGROOM_PAYEE_CHECK is off.',
    check !== undefined &&
      bank !== undefined &&
      bank.country !== 'DE' &&
      'STRONGROOM_BANK_CHECK is for German bank codes; STRONGROOM_BANK is of another country.',
    bic !== undefined &&
      bank !== undefined &&
      !isBicOf(bic, bank.country) &&
      'STRONGROOM_BIC is of another country than STRONGROOM_BANK.',
    mayNotExceed('sessionIdle', 'sessionMax'),
    mayNotExceed('tokenTtl', 'sessionMax'),
    mayNotExceed('tokenTtl', 'sessionKeep'),
    ports[0] !== undefined &&
      ports[0] === ports[1] &&
      'STRONGROOM_HTTPS_PORT and STRONGROOM_HTTP_PORT have to differ.',
    config.metricsPort !== undefined &&
      ports.includes(config.metricsPort) &&
      'STRONGROOM_METRICS_PORT has to differ from the other ports.',
    adminPassword !== undefined &&
      passwordProblem(adminPassword, adminUsername) !== undefined &&
      'STRONGROOM_ADMIN_PASSWORD contains the user name.',
  ]
  return lines.filter((line) => line !== false)
}
