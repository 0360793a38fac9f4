// Every setting of the service, one row each: its name, its default, its meaning, its parser.
import { addressDetails } from '../domain/address.ts'
import { defaultLimits, parseLimits } from './limits.ts'
import { databaseUrl, redisUrl, smtpUrl } from './urls.ts'
import * as value from './values.ts'

export type Setting<T> = {
  /** Without the prefix. */
  name: string
  /** One sentence, for the documents and `--help`. */
  about: string
  parse: value.Parser<T>
  /** Holds, or leads to, what nobody else may see. */
  isSecret?: true
} & (
  | { standard: string } // What holds when the setting is not given, as one would write it,
  | { otherwise: string; absent: T } // or in words, with the value that says so.
)

const row = <T>(setting: Setting<T>): Setting<T> => setting

/** The keys are the names in the code; the order is that of the documents. */
export const settings = {
  dataDir: row({
    name: 'DATA_DIR',
    standard: './data',
    about: 'Folder of the embedded database, keys, certificate and outbox.',
    parse: value.path,
  }),
  bankName: row({
    name: 'BANK_NAME',
    standard: 'Strongroom',
    about: 'Name of the bank on statements, up to 70 characters.',
    parse: value.displayName,
  }),
  databaseUrl: row({
    name: 'DATABASE_URL',
    otherwise: 'embedded PostgreSQL in the data folder',
    absent: undefined,
    about:
      'PostgreSQL, as `postgres://user:password@host/database`; ' +
      'another host needs `?sslmode=verify-full`.',
    parse: databaseUrl,
    isSecret: true,
  }),
  redisUrl: row({
    name: 'REDIS_URL',
    otherwise: 'none: limits are counted in the process',
    absent: undefined,
    about: 'Redis or Valkey (`redis://` or `rediss://`) that instances share to count limits.',
    parse: redisUrl,
    isSecret: true,
  }),
  host: row({
    name: 'HOST',
    standard: '127.0.0.1',
    about: 'Address or host name that the HTTPS and HTTP listeners bind to.',
    parse: value.host,
  }),
  httpsPort: row({
    name: 'HTTPS_PORT',
    standard: '8443',
    about: 'Port of the service; 0 lets the system choose a free one.',
    parse: value.wholeNumber(0, 65535),
  }),
  httpPort: row({
    name: 'HTTP_PORT',
    standard: '8080',
    about: 'Port that only redirects to HTTPS; 0 lets the system choose a free one.',
    parse: value.wholeNumber(0, 65535),
  }),
  metricsPort: row({
    name: 'METRICS_PORT',
    standard: '9464',
    about: 'Port of `/metrics`, on the loopback address only; 0 switches it off.',
    parse: value.wholeNumber(0, 65535),
  }),
  publicUrl: row({
    name: 'PUBLIC_URL',
    otherwise: '`https://localhost:<https port>`',
    absent: undefined,
    about: 'Origin under which clients reach the service; redirects and e-mailed links lead there.',
    parse: value.httpsOrigin,
  }),
  tlsCert: row({
    name: 'TLS_CERT',
    otherwise: 'made in the data folder',
    absent: undefined,
    about: 'PEM file of the certificate and its chain; goes with the key.',
    parse: value.path,
  }),
  tlsKey: row({
    name: 'TLS_KEY',
    otherwise: 'made in the data folder',
    absent: undefined,
    about: 'PEM file of the private key of the certificate, not encrypted.',
    parse: value.path,
  }),
  isTrustedProxy: row({
    name: 'TRUSTED_PROXIES',
    otherwise: 'none',
    absent: (_address: string): boolean => false,
    about: 'Addresses and CIDR ranges, comma-separated, whose `X-Forwarded-…` fields are believed.',
    parse: value.addressSet,
  }),
  corsOrigins: row({
    name: 'CORS_ORIGINS',
    otherwise: 'none',
    absent: Object.freeze([]),
    about: 'Exact origins, comma-separated, whose pages may call the API from a browser.',
    parse: value.origins,
  }),
  smtpUrl: row({
    name: 'SMTP_URL',
    otherwise: 'none: mails are written as `.eml` files to `<data>/outbox`',
    absent: undefined,
    about: 'Mail server, as `smtps://user:password@host` or `smtp://…`; needs a sender.',
    parse: smtpUrl,
    isSecret: true,
  }),
  mailFrom: row({
    name: 'MAIL_FROM',
    otherwise: 'none',
    absent: undefined,
    about: 'E-mail address that mails are sent from.',
    parse: value.mailAddress,
  }),
  tokenTtl: row({
    name: 'TOKEN_TTL',
    standard: '15m',
    about: 'How long an access token is valid; at most as long as a session.',
    parse: value.duration('1s', '1d', '1s'),
  }),
  sessionIdle: row({
    name: 'SESSION_IDLE',
    standard: '5m',
    about: 'A session ends when it was not used for this long.',
    parse: value.duration('100ms', '30d'),
  }),
  sessionMax: row({
    name: 'SESSION_MAX',
    standard: '12h',
    about: 'A session ends this long after its login, whatever its use.',
    parse: value.duration('1s', '30d'),
  }),
  sessionKeep: row({
    name: 'SESSION_KEEP',
    standard: '30d',
    about: 'A session and its refresh tokens are removed this long after its absolute end.',
    parse: value.duration('1m', '3650d'),
  }),
  deviceIdle: row({
    name: 'DEVICE_IDLE',
    standard: '365d',
    about: 'A known device is forgotten when it was not used for a login for this long.',
    parse: value.duration('1m', '3650d'),
  }),
  maxBody: row({
    name: 'MAX_BODY',
    standard: '64KB',
    about: 'Largest request body, up to `2MB`.',
    parse: value.size(1, 2048),
  }),
  maxPage: row({
    name: 'MAX_PAGE',
    standard: '100',
    about: 'Most items in one page of a list, up to 1000; larger `limit`s are capped to it.',
    parse: value.wholeNumber(1, 1000),
  }),
  connectionsMax: row({
    name: 'MAX_CONNECTIONS',
    standard: '8000',
    about:
      'Most connections of each listener at once, from 64; an address holds at most a quarter.',
    parse: value.wholeNumber(64, 100_000),
  }),
  limits: row({
    name: 'LIMITS',
    otherwise: 'the windows of docs/CONFIGURATION.md',
    absent: defaultLimits,
    about: 'JSON that replaces windows by class, such as `{"read":{"burst":"50/1s"}}`.',
    parse: parseLimits,
  }),
  docs: row({
    name: 'DOCS',
    standard: 'on',
    about: 'Whether `/docs` and `/openapi.json` are served: `on` or `off`.',
    parse: value.onOff,
  }),
  adminUsername: row({
    name: 'ADMIN_USERNAME',
    standard: 'admin',
    about: 'User name of the administrator that the first start creates.',
    parse: value.username,
  }),
  adminPassword: row({
    name: 'ADMIN_PASSWORD',
    otherwise: 'generated and shown on the first start',
    absent: undefined,
    about:
      'Password of that administrator; 12 to 128 characters, neither common nor with the name.',
    parse: value.password,
    isSecret: true,
  }),
  logLevel: row({
    name: 'LOG_LEVEL',
    standard: 'info',
    about: 'How much is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
    parse: value.oneWord(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  }),
  logAddress: row({
    name: 'LOG_ADDRESS',
    standard: 'network',
    about:
      'How much of a client address is logged: `full`, `network` (IPv4 /24, IPv6 /64) or `none`.',
    parse: value.oneWord(addressDetails),
  }),
}
