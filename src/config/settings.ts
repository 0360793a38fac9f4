// Every setting of the service: its name, its parser, its default and its meaning.
import { addressDetails } from '../domain/address.ts'
import { germanMarks } from '../domain/check-digits.ts'
import { holidayRules } from '../domain/calendar/business-days.ts'
import { accent } from './accent.ts'
import { holidays } from './holidays.ts'
import { defaultLimits, parseLimits } from './limits.ts'
import { databaseUrl, otlpUrl, payeeCheckUrl, redisUrl, smtpUrl } from './urls.ts'
import * as value from './values.ts'

type Text = {
  /** One sentence of Markdown, for the documents and `--help`. */
  about: string
  /** The value is a secret, or a way to one: a file may hold it, which `<name>_FILE` names. */
  isSecret?: true
}

export type Setting<T> = Text & {
  /** Without the prefix. */
  name: string
  parse: value.Parser<T>
  /** What applies when the setting is absent, in Markdown. */
  standard: string
  absent(): T
}

/** @param standard the default, as an operator would write it */
const withDefault = <T>(
  name: string,
  parse: value.Parser<T>,
  standard: string,
  text: Text,
): Setting<T> => ({
  ...text,
  name,
  parse,
  standard: `\`${standard}\``,
  absent: () => parse(standard),
})

/** A setting whose default no operator could write: `otherwise` describes `absent`. */
const optional = <T, A = undefined>(
  name: string,
  parse: value.Parser<T>,
  { otherwise, absent, ...text }: Text & { otherwise: string; absent?: A },
): Setting<T | A> => ({
  ...text,
  name,
  parse,
  standard: otherwise,
  absent: () => absent as A,
})

const usualAlerts =
  'AED=4000,AUD=1500,BHD=400,CAD=1500,CHF=1000,CZK=25000,DKK=7500,EUR=1000,GBP=1000,HUF=400000,' +
  'JPY=150000,KWD=300,NOK=10000,NZD=1500,PLN=4000,SEK=10000,SGD=1500,TND=3000,USD=1000'

/** A share of the usual alerts. */
const percentOfAlerts = (percent: bigint): value.Amounts =>
  Object.freeze(
    Object.fromEntries(
      Object.entries(value.amounts(usualAlerts)).map(([currency, units]) => {
        return [currency, (units * percent) / 100n]
      }),
    ),
  )

/** The keys are the names in the code; the order is that of the documents. */
export const settings = {
  dataDir: withDefault('DATA_DIR', value.path, './data', {
    about: 'Folder of the embedded database, keys, certificate and outbox.',
  }),
  bank: withDefault('BANK', value.bank, 'DE/00770077', {
    about:
      'Country and first part of the account numbers (BBAN), `DE/37040044`; ' +
      'no bank has the default.',
  }),
  bankAlso: optional('BANK_ALSO', value.banks, {
    absent: Object.freeze([]),
    otherwise: 'none',
    about: 'More codes whose IBANs are of this bank, comma-separated: after a merger.',
  }),
  bankCheck: optional('BANK_CHECK', value.oneWord(germanMarks), {
    otherwise: 'none, as with `09`',
    about: `A German bank's check digit method: ${germanMarks.join(', ')}.`,
  }),
  ibans: withDefault('IBANS', value.oneWord(['drawn', 'pool']), 'drawn', {
    about: 'Where new IBANs come from: `drawn`, or the `pool` that `strongroom ibans --add` fills.',
  }),
  bankName: withDefault('BANK_NAME', value.displayName, 'Strongroom', {
    about:
      'Name of the bank in the portal, mails, statements and authenticators, ' +
      'up to 70 characters.',
  }),
  timeZone: withDefault('TIME_ZONE', value.timeZone, 'UTC', {
    about: 'Time zone of the bank days, such as `Europe/Berlin`; `strongroom migrate` changes it.',
  }),
  holidays: withDefault('HOLIDAYS', holidays, 'none', {
    about:
      'Holidays: `none`; weekends and `target2`; or weekends and the dates of a file, one a line.',
  }),
  onHoliday: withDefault('ON_HOLIDAY', value.oneWord(holidayRules), 'pay', {
    about:
      'What a new order makes of a holiday: `pay` on it, or on the business day `before` or ' +
      '`after`.',
  }),
  cutOff: optional('CUT_OFF', value.timeOfDay, {
    otherwise: 'none',
    about: 'Local time, `16:00`, from which on payments to other banks leave a business day later.',
  }),
  bic: optional('BIC', value.bic, {
    otherwise: 'none',
    about: 'BIC of the bank (ISO 9362), shown with IBANs and on statements.',
  }),
  bankPhone: optional('BANK_PHONE', value.phone, {
    otherwise: 'none',
    about: 'Telephone number of the bank, `+49 30 1234567`, on the help page of the portal.',
  }),
  bankAddress: optional('BANK_ADDRESS', value.postalAddress, {
    otherwise: 'none',
    about: 'Postal address of the bank in one line, up to 140 characters, on the same page.',
  }),
  logo: optional('LOGO', value.imagePath, {
    otherwise: 'that of Strongroom',
    about: 'SVG or PNG file of the logo in the portal, up to 64 KB; an SVG of shapes alone.',
  }),
  accent: optional('ACCENT', accent, {
    otherwise: 'green',
    about:
      'Accent colour of the portal on light and on dark grounds, `#14532d,#86d3a2`; ' +
      'contrast 4.5:1.',
  }),
  databaseUrl: optional('DATABASE_URL', databaseUrl, {
    otherwise: 'embedded PostgreSQL in the data folder',
    about:
      'PostgreSQL, as `postgres://user:password@host/database`; ' +
      'another host needs `?sslmode=verify-full`.',
    isSecret: true,
  }),
  readDatabaseUrl: optional('READ_DATABASE_URL', databaseUrl, {
    otherwise: 'none: the primary answers all reads',
    about: 'Standby of that database, or proxy to some: answers histories, searches, statements.',
    isSecret: true,
  }),
  redisUrl: optional('REDIS_URL', redisUrl, {
    otherwise: 'none: limits are counted in the process',
    about:
      'Redis or Valkey (`redis://`, `rediss://` or `unix:///path`) ' +
      'that instances share to count limits.',
    isSecret: true,
  }),
  host: withDefault('HOST', value.host, '127.0.0.1', {
    about: 'Address or host name that the HTTPS and HTTP listeners bind to.',
  }),
  httpsPort: withDefault('HTTPS_PORT', value.wholeNumber(0, 65535), '8443', {
    about: 'Port of the service; 0 lets the system choose a free one.',
  }),
  httpPort: withDefault('HTTP_PORT', value.wholeNumber(0, 65535), '8080', {
    about: 'Port that only redirects to HTTPS; 0 lets the system choose a free one.',
  }),
  metricsPort: withDefault('METRICS_PORT', value.wholeNumber(0, 65535), '9464', {
    about: 'Port of `/metrics`; 0 switches it off.',
  }),
  metricsHost: withDefault('METRICS_HOST', value.host, '127.0.0.1', {
    about:
      'Address or host name that it binds to. It asks for no login: let only monitors reach it.',
  }),
  publicUrl: optional('PUBLIC_URL', value.httpsOrigin, {
    otherwise: '`https://localhost:<https port>`',
    about: 'Origin under which clients reach the service; redirects and e-mailed links lead there.',
  }),
  tlsCert: optional('TLS_CERT', value.path, {
    otherwise: 'made in the data folder',
    about: 'PEM file of the certificate and its chain; goes with the key.',
  }),
  tlsKey: optional('TLS_KEY', value.path, {
    otherwise: 'made in the data folder',
    about: 'PEM file of the private key of the certificate, not encrypted.',
  }),
  trustedProxies: optional('TRUSTED_PROXIES', value.addressRanges, {
    absent: Object.freeze([]),
    otherwise: 'none',
    about: 'Addresses and CIDR ranges, comma-separated, whose `X-Forwarded-…` fields are trusted.',
  }),
  corsOrigins: optional('CORS_ORIGINS', value.origins, {
    absent: Object.freeze([]),
    otherwise: 'none',
    about: 'Exact origins, comma-separated, whose pages may call the API from a browser.',
  }),
  securityContact: optional('SECURITY_CONTACT', value.contact, {
    otherwise: 'none: there is no `/.well-known/security.txt`',
    about: 'Where to report a weakness, `mailto:security@bank.example` or an `https` URL.',
  }),
  smtpUrl: optional('SMTP_URL', smtpUrl, {
    otherwise: 'none: mails are written as `.eml` files to `<data>/outbox`',
    about:
      'Mail server, as `smtps://user:password@host` or `smtp://…`; needs sender and public URL.',
    isSecret: true,
  }),
  mailFrom: optional('MAIL_FROM', value.mailAddress, {
    otherwise: 'none',
    about: 'E-mail address that mails are sent from.',
  }),
  alertAbove: optional('ALERT_ABOVE', value.amounts, {
    absent: value.amounts(usualAlerts),
    otherwise: '`EUR=1000`, about as much in others',
    about: 'The payer gets a mail for a payment above this amount: `EUR=500,JPY=80000`, or `none`.',
  }),
  tokenTtl: withDefault('TOKEN_TTL', value.duration('1s', '1d', '1s'), '15m', {
    about: 'How long an access token is valid; at most as long as a session.',
  }),
  sessionIdle: withDefault('SESSION_IDLE', value.duration('100ms', '30d'), '5m', {
    about: 'A session ends after this time without an accepted request.',
  }),
  sessionMax: withDefault('SESSION_MAX', value.duration('1s', '30d'), '12h', {
    about: 'A session ends this long after its login at the latest.',
  }),
  sessionKeep: withDefault('SESSION_KEEP', value.duration('1m', '3650d'), '30d', {
    about: 'A session and its refresh tokens are removed this long after its absolute end.',
  }),
  secondFactor: withDefault(
    'SECOND_FACTOR',
    value.secondFactor,
    Object.entries(value.usualPolicies)
      .map((pair) => pair.join('='))
      .join(','),
    {
      about:
        '`off`, `optional` or `required` for all roles, or `role=value` pairs; ' +
        'other roles keep the default.',
    },
  ),
  secondFactorGrace: withDefault('SECOND_FACTOR_GRACE', value.duration('1s', '365d'), '14d', {
    about: 'Time that a new user has to enrol the required second factor.',
  }),
  confirmAbove: optional('CONFIRM_ABOVE', value.amounts, {
    absent: percentOfAlerts(3n),
    otherwise: '`EUR=30`, about as much in others',
    about:
      'A larger payment to an untrusted beneficiary needs a second factor; ' +
      '`none`: each needs it.',
  }),
  confirmSum: optional('CONFIRM_SUM', value.amounts, {
    absent: percentOfAlerts(10n),
    otherwise: '`EUR=100`, about as much in others',
    about: 'Unconfirmed payments above this sum, or more than five, need a second factor too.',
  }),
  oidcIssuer: optional('OIDC_ISSUER', value.issuer, {
    otherwise: 'none: staff sign in with a password',
    about: 'OpenID Connect issuer by which staff sign in, `https://id.bank.example`.',
  }),
  oidcClientId: optional('OIDC_CLIENT_ID', value.clientText, {
    otherwise: 'none',
    about: 'Name of this bank at the issuer.',
  }),
  oidcClientSecret: optional('OIDC_CLIENT_SECRET', value.clientText, {
    otherwise: 'none',
    about: 'Secret of this bank at the issuer.',
    isSecret: true,
  }),
  oidcCa: optional('OIDC_CA', value.path, {
    otherwise: 'those of Node.js',
    about: "PEM file of the authorities of the issuer's certificate.",
  }),
  oidcFactor: optional('OIDC_FACTOR', value.factorClaims, {
    absent: Object.freeze([]),
    otherwise: 'none: the second factor is that of this bank',
    about: "Claims by one of which the issuer's second factor counts: `amr=mfa,acr=gold`.",
  }),
  oidcStaff: withDefault('OIDC_STAFF', value.oneWord(['only', 'also']), 'only', {
    about: 'Whether a linked person signs in at the issuer `only`, or with a password `also`.',
  }),
  deviceIdle: withDefault('DEVICE_IDLE', value.duration('1m', '3650d'), '365d', {
    about: 'A known device is forgotten after this time without a login from it.',
  }),
  drain: optional('DRAIN', value.duration('100ms', '5m'), {
    absent: 0,
    otherwise: 'none',
    about:
      'After SIGTERM `/readyz` answers 503 for this time before connections close, ' +
      'for proxies.',
  }),
  maxBody: withDefault('MAX_BODY', value.size(1, 2048), '64KB', {
    about: 'Largest request body, up to `2MB`.',
  }),
  maxPage: withDefault('MAX_PAGE', value.wholeNumber(1, 1000), '100', {
    about: 'Most items in one page of a list, up to 1000; larger `limit`s are capped to it.',
  }),
  connectionsMax: withDefault('MAX_CONNECTIONS', value.wholeNumber(64, 100_000), '8000', {
    about:
      'Most connections of each listener at once, from 64; ' +
      'an address holds at most a quarter.',
  }),
  cacheMax: withDefault('MAX_CACHE', value.size(1024, 4 * 1024 * 1024), '48MB', {
    about:
      'Memory for tokens whose signature was checked (340 bytes each); ' +
      'an eighth is for address ranges.',
  }),
  limits: optional('LIMITS', parseLimits, {
    absent: defaultLimits,
    otherwise: 'the windows of docs/CONFIGURATION.md',
    about: 'JSON that replaces windows by class, such as `{"read":{"burst":"50/1s"}}`.',
  }),
  privateWebhooks: withDefault('PRIVATE_WEBHOOKS', value.onOff, 'off', {
    about:
      'Whether webhooks may go to any address and port, also by `http`: `on` or `off`; ' +
      'for development.',
  }),
  fourEyes: optional('FOUR_EYES', value.operations, {
    absent: Object.freeze([]),
    otherwise: 'none',
    about:
      'Changes by staff that wait for a second administrator, by `operationId`: ' +
      '`createUser,…`.',
  }),
  payeeCheck: withDefault('PAYEE_CHECK', value.oneWord(value.payeeChecks), 'shown', {
    about:
      'Whether names of payees are compared with those of holders: `off`, `shown` or ' +
      '`required`.',
  }),
  payeeCheckUrl: optional('PAYEE_CHECK_URL', payeeCheckUrl, {
    otherwise: 'none: only names of accounts here are compared',
    about: 'Responder that is asked for accounts at other banks, by JSON over `https`.',
  }),
  payeeCheckSecret: optional('PAYEE_CHECK_SECRET', value.bearer, {
    otherwise: 'none',
    about: 'Sent to the responder as `Authorization: Bearer …`.',
    isSecret: true,
  }),
  members: withDefault('MEMBERS', value.onOff, 'off', {
    about: 'Whether owners of accounts may let others act on them: `on` or `off`.',
  }),
  docs: withDefault('DOCS', value.onOff, 'on', {
    about: 'Whether `/docs` and `/openapi.json` are served: `on` or `off`.',
  }),
  portal: withDefault('PORTAL', value.onOff, 'on', {
    about: 'Whether the portal is served at `/portal/`: `on` or `off`.',
  }),
  adminUsername: withDefault('ADMIN_USERNAME', value.username, 'admin', {
    about: 'User name of the administrator that the first start creates.',
  }),
  adminPassword: optional('ADMIN_PASSWORD', value.password, {
    otherwise: 'generated at the first start',
    about:
      'Password of that administrator; 12 to 128 characters, ' +
      'neither common nor with the name.',
    isSecret: true,
  }),
  logLevel: withDefault(
    'LOG_LEVEL',
    value.oneWord(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    'info',
    {
      about: 'How much is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
    },
  ),
  logAnswers: withDefault(
    'LOG_ANSWERS',
    value.oneWord(['all', 'without-probes', 'refusals']),
    'all',
    {
      about:
        'Which answers are logged: `all`, `without-probes` (no success of `/healthz`, `/readyz`) ' +
        'or `refusals`.',
    },
  ),
  otlpUrl: optional('OTLP_URL', otlpUrl, {
    otherwise: 'none: nothing is traced',
    about: 'Collector of spans by OTLP/HTTP, such as `http://localhost:4318`.',
  }),
  traceRatio: withDefault('TRACE_RATIO', value.ratio, '0.01', {
    about: 'Part of the requests that are traced, from 0 to 1; needs a collector.',
  }),
  logAddress: withDefault('LOG_ADDRESS', value.oneWord(addressDetails), 'network', {
    about:
      'How much of a client address is logged: ' +
      '`full`, `network` (IPv4 /24, IPv6 /64) or `none`.',
  }),
}
