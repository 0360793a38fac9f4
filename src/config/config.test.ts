// The configuration either starts the service as its operator meant it, or does not start it.
import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import test from 'node:test'
import { rangeSet } from '../domain/address.ts'
import {
  type Config,
  ConfigError,
  defaultLimits,
  readConfig,
  settingsHelp,
  settingsTable,
} from './config.ts'

/** The problems of these settings, given without the prefix. */
function findProblems(settings: Record<string, string>): readonly string[] {
  try {
    readConfig(prefixed(settings))
    return []
  } catch (thrown) {
    assert.ok(thrown instanceof ConfigError, String(thrown))
    return thrown.lines
  }
}

const prefixed = (settings: Record<string, string>) =>
  Object.fromEntries(Object.entries(settings).map(([name, text]) => [`STRONGROOM_${name}`, text]))

/** About a thousand euros each, in minor units. */
const usualAlerts = {
  AED: 400_000n,
  AUD: 150_000n,
  BHD: 400_000n,
  CAD: 150_000n,
  CHF: 100_000n,
  CZK: 2_500_000n,
  DKK: 750_000n,
  EUR: 100_000n,
  GBP: 100_000n,
  HUF: 40_000_000n,
  JPY: 150_000n,
  KWD: 300_000n,
  NOK: 1_000_000n,
  NZD: 150_000n,
  PLN: 400_000n,
  SEK: 1_000_000n,
  SGD: 150_000n,
  TND: 3_000_000n,
  USD: 100_000n,
}

const percentOfAlerts = (percent: bigint) =>
  Object.fromEntries(
    Object.entries(usualAlerts).map(([code, units]) => [code, (units / 100n) * percent]),
  )

test('with nothing set, every setting has its documented default', () => {
  const config = readConfig({ PATH: '/bin', HOME: undefined })
  assert.deepEqual(config, {
    dataDir: resolve('data'),
    readDatabaseUrl: undefined,
    databaseUrl: undefined,
    redisUrl: undefined,
    host: '127.0.0.1',
    httpsPort: 8443,
    httpPort: 8080,
    metricsPort: 9464,
    metricsHost: '127.0.0.1',
    publicUrl: undefined,
    tlsCert: undefined,
    tlsKey: undefined,
    bank: { country: 'DE', prefix: '00770077' },
    bankAlso: [],
    bankCheck: undefined,
    ibans: 'drawn',
    bankName: 'Strongroom',
    timeZone: 'UTC',
    holidays: { kind: 'none', dates: [] },
    onHoliday: 'pay',
    cutOff: undefined,
    bic: undefined,
    bankPhone: undefined,
    bankAddress: undefined,
    logo: undefined,
    accent: undefined,
    alertAbove: usualAlerts,
    corsOrigins: [],
    securityContact: undefined,
    smtpUrl: undefined,
    mailFrom: undefined,
    tokenTtl: 15 * 60_000,
    sessionIdle: 5 * 60_000,
    sessionMax: 12 * 3_600_000,
    sessionKeep: 30 * 86_400_000,
    secondFactor: { customer: 'optional', 'support-agent': 'optional', admin: 'required' },
    secondFactorGrace: 14 * 86_400_000,
    confirmAbove: percentOfAlerts(3n),
    confirmSum: percentOfAlerts(10n),
    oidcIssuer: undefined,
    oidcClientId: undefined,
    oidcClientSecret: undefined,
    oidcCa: undefined,
    oidcFactor: [],
    oidcStaff: 'only',
    deviceIdle: 365 * 86_400_000,
    maxBody: 65_536,
    members: false,
    maxPage: 100,
    connectionsMax: 8000,
    cacheMax: 48 * 1024 * 1024,
    limits: defaultLimits,
    privateWebhooks: false,
    fourEyes: [],
    payeeCheck: 'shown',
    payeeCheckUrl: undefined,
    payeeCheckSecret: undefined,
    docs: true,
    drain: 0,
    portal: true,
    adminUsername: 'admin',
    adminPassword: undefined,
    logLevel: 'info',
    otlpUrl: undefined,
    traceRatio: 0.01,
    logAddress: 'network',
    logAnswers: 'all',
    trustedProxies: [],
  })
})

test('nothing can change the configuration after it was read', () => {
  const config = readConfig({ STRONGROOM_CORS_ORIGINS: 'https://a.example' })
  for (const part of [config, config.corsOrigins, config.limits, config.limits.read]) {
    assert.ok(Object.isFrozen(part))
  }
  assert.ok(Object.isFrozen(config.limits.read.burst))
  assert.ok(Object.isFrozen(readConfig({}).corsOrigins))
})

const accepted: [settings: Record<string, string>, wanted: Partial<Config>][] = [
  [{ DATA_DIR: '/srv/bank' }, { dataDir: '/srv/bank' }],
  [{ DATA_DIR: 'bank' }, { dataDir: resolve('bank') }],
  ...["Bank of Õismäe, Smith & Sons' (1)", 'Χ', 'Банк'.repeat(17)].map(
    (name): (typeof accepted)[number] => [{ BANK_NAME: name }, { bankName: name }],
  ),
  [
    { HTTPS_PORT: '0', HTTP_PORT: '0', METRICS_PORT: '0' },
    { httpsPort: 0, metricsPort: 0 },
  ],
  [{ HTTPS_PORT: '65535' }, { httpsPort: 65_535 }],
  [{ HOST: '::' }, { host: '::' }],
  [{ METRICS_HOST: '192.0.2.10' }, { metricsHost: '192.0.2.10' }],
  [{ HOST: 'bank-1.internal' }, { host: 'bank-1.internal' }],
  [{ PUBLIC_URL: 'https://bank.example' }, { publicUrl: 'https://bank.example' }],
  [{ PUBLIC_URL: 'https://bank.example:8443' }, { publicUrl: 'https://bank.example:8443' }],
  [
    { TLS_CERT: '/c.pem', TLS_KEY: '/k.pem' },
    { tlsCert: '/c.pem', tlsKey: '/k.pem' },
  ],
  [
    { SECURITY_CONTACT: 'https://bank.example/report' },
    { securityContact: 'https://bank.example/report' },
  ],
  [
    { SECURITY_CONTACT: 'mailto:security@bank.example' },
    { securityContact: 'mailto:security@bank.example' },
  ],
  [
    { CORS_ORIGINS: 'https://a.example, http://localhost:3000' },
    { corsOrigins: ['https://a.example', 'http://localhost:3000'] },
  ],
  [
    {
      SMTP_URL: 'smtp://u:p%40ss@mail.example:587',
      MAIL_FROM: 'bank@bank.example',
      PUBLIC_URL: 'https://bank.example',
    },
    { mailFrom: 'bank@bank.example' },
  ],
  [{ TOKEN_TTL: '30s' }, { tokenTtl: 30_000 }],
  [{ SESSION_IDLE: '500ms' }, { sessionIdle: 500 }],
  [
    { SESSION_IDLE: '1d', SESSION_MAX: '1d' },
    { sessionIdle: 86_400_000, sessionMax: 86_400_000 },
  ],
  [
    { BANK: 'DE/37040044', BANK_CHECK: '13' },
    { bank: { country: 'DE', prefix: '37040044' }, bankCheck: '13' },
  ],
  [{ BANK: 'NL/ABNA' }, { bank: { country: 'NL', prefix: 'ABNA' } }],
  // No rule is needed for numbers that come from a sponsor.
  [
    { BANK: 'SE/500', IBANS: 'pool' },
    { bank: { country: 'SE', prefix: '500' }, ibans: 'pool' },
  ],
  [
    { BANK_ALSO: 'IT/0542811101, SE/500' },
    {
      bankAlso: [
        { country: 'IT', prefix: '0542811101' },
        { country: 'SE', prefix: '500' },
      ],
    },
  ],
  [{ BANK: 'FR/2004101005', BIC: 'BFCOYTYT' }, { bic: 'BFCOYTYT' }],
  [{ TIME_ZONE: 'europe/berlin' }, { timeZone: 'Europe/Berlin' }],
  [{ TIME_ZONE: 'Asia/Kolkata' }, { timeZone: 'Asia/Kolkata' }],
  [{ BIC: 'MARKDEFF' }, { bic: 'MARKDEFF' }],
  [{ BIC: 'MARKDEFFXXX' }, { bic: 'MARKDEFFXXX' }],
  [{ LOGO: 'logo.png' }, { logo: resolve('logo.png') }],
  [{ ACCENT: '#14532D, #86d3a2' }, { accent: { light: '#14532d', dark: '#86d3a2' } }],
  [{ MAX_BODY: '1KB' }, { maxBody: 1024 }],
  [{ MAX_BODY: '2MB' }, { maxBody: 2 * 1024 * 1024 }],
  [{ MAX_PAGE: '1000' }, { maxPage: 1000 }],
  [{ ADMIN_USERNAME: 'Ａlice.B' }, { adminUsername: 'alice.b' }],
  [{ ADMIN_PASSWORD: 'éàüöñçêîôûåø' }, { adminPassword: 'éàüöñçêîôûåø' }],
  [{ DOCS: 'off' }, { docs: false }],
  [{ MEMBERS: 'on' }, { members: true }],
  [{ PAYEE_CHECK: 'off' }, { payeeCheck: 'off' }],
  [{ PAYEE_CHECK: 'required' }, { payeeCheck: 'required' }],
  ...['https://payees.example/check', 'http://127.0.0.1:9000', 'http://localhost/a'].map(
    (url): (typeof accepted)[number] => [{ PAYEE_CHECK_URL: url }, { payeeCheckUrl: url }],
  ),
  [
    { PAYEE_CHECK_URL: 'https://payees.example', PAYEE_CHECK_SECRET: 'srk_0123456789-._~+/ab==' },
    { payeeCheckSecret: 'srk_0123456789-._~+/ab==' },
  ],
  [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
  [{ LOG_ANSWERS: 'without-probes' }, { logAnswers: 'without-probes' }],
  ...[
    'postgres://bank@localhost/bank',
    'postgresql://bank:p%2Fw@127.0.0.1:5433/bank',
    'postgres://bank@[::1]/bank',
    'postgres:///bank?host=/var/run/postgresql',
    'postgres://db.example/bank?sslmode=verify-full&sslrootcert=/ca.pem',
    'postgres://db/bank?sslmode=disable',
  ].map((url): (typeof accepted)[number] => [{ DATABASE_URL: url }, { databaseUrl: url }]),
  ...[
    'redis://localhost',
    'rediss://:secret@cache.example:6380/2',
    'unix:///run/valkey/valkey.sock',
    'unix://bank:p%2Fw@localhost/run/valkey.sock',
  ].map((url): (typeof accepted)[number] => [{ REDIS_URL: url }, { redisUrl: url }]),
  ...['http://localhost:4318', 'http://127.0.0.1:4318/otlp/', 'https://otlp.example'].map(
    (url): (typeof accepted)[number] => [{ OTLP_URL: url }, { otlpUrl: url }],
  ),
  ...['0', '0.5', '1'].map((text): (typeof accepted)[number] => [
    { TRACE_RATIO: text },
    { traceRatio: Number(text) },
  ]),
  [{ FOUR_EYES: 'createUser, updateUser,createUser' }, { fourEyes: ['createUser', 'updateUser'] }],
  [{ ALERT_ABOVE: 'none' }, { alertAbove: {} }],
  ...(['off', 'optional', 'required'] as const).map((policy): (typeof accepted)[number] => [
    { SECOND_FACTOR: policy },
    { secondFactor: { customer: policy, 'support-agent': policy, admin: policy } },
  ]),
  [
    { SECOND_FACTOR: 'admin=required, customer=optional' },
    { secondFactor: { customer: 'optional', 'support-agent': 'optional', admin: 'required' } },
  ],
  [
    { SECOND_FACTOR: 'customer=required' },
    { secondFactor: { customer: 'required', 'support-agent': 'optional', admin: 'required' } },
  ],
  [{ CONFIRM_ABOVE: 'EUR=100' }, { confirmAbove: { EUR: 10_000n } }],
  [{ CONFIRM_SUM: 'none' }, { confirmSum: {} }],
  [{ SECOND_FACTOR_GRACE: '1s' }, { secondFactorGrace: 1000 }],
  [
    { ALERT_ABOVE: 'EUR=500.5, JPY=80000,USD=0' },
    { alertAbove: { EUR: 50_050n, JPY: 80_000n, USD: 0n } },
  ],
]

for (const [settings, wanted] of accepted) {
  test(`usable: ${JSON.stringify(settings)}`, () => {
    const config = readConfig(prefixed(settings))
    assert.partialDeepStrictEqual(config, wanted)
  })
}

const refused: Record<string, string[]> = {
  BANK_PHONE: ['call us', '+49', '1234', '1'.repeat(16), '030 12345 "', `4${' '.repeat(25)}30123`],
  BANK_ADDRESS: [' 1 Road', '1 Road\nCity', '<b>1 Road</b>', '1 "Road"', 'x'.repeat(141)],
  BANK_NAME: [' Bank', '<b>Bank</b>', 'Bank\nTwo', '=Bank', 'B'.repeat(71)],
  BANK: [
    '37040044',
    'DE37040044',
    'DE/3704004',
    'DE/3704004405320130',
    'de/37040044',
    'DE/3704 0044',
    'US/1234',
    'GB/601613',
    'NL/1234',
    'SE/500',
    'PL/10901015',
    'SK/1710153045',
    'CZ/0100153045',
    'NO/123400',
  ],
  BANK_CHECK: ['0', '02', '99', 'none'],
  BANK_ALSO: ['DE/1', 'DE/37040044,', 'NL', 'none'],
  IBANS: ['on', 'POOL'],
  TIME_ZONE: ['Berlin', 'Mars/Base', '+01:00', 'UTC+1', '../etc/passwd', 'Europe/Berlin\n'],
  HOLIDAYS: ['target', 'no-such-file', '.', 'TARGET2'],
  ON_HOLIDAY: ['never', 'Pay'],
  CUT_OFF: ['24:00', '16', '4:00 pm', '16:60', '16:00:00', 'none'],
  BIC: ['MARKDEFFXX', 'markdeff', 'MARKZZFF', 'MARK DEFF', '1234DEFF', 'MARKDEFFXXXX'],
  LOGO: ['logo', 'logo.gif', 'logo.svg.html', 'logo.SVG'],
  ACCENT: [
    'green',
    '#14532d',
    '#14532d,#86d3a2,#000000',
    '#14532d,#86d',
    '#777777,#86d3a2',
    '#14532d,#222222',
  ],
  ALERT_ABOVE: [
    '1000',
    'EUR',
    'EUR=',
    'EUR=-1',
    'EUR=1=2',
    'JPY=0.5',
    'XXX=1',
    'EUR=1,EUR=2',
    'eur=1',
  ],
  OTLP_URL: [
    'localhost:4318',
    'grpc://localhost:4317',
    'http://otlp.example:4318',
    'https://user:secret@otlp.example',
    'https://otlp.example/?key=1',
    'https://otlp.example#x',
  ],
  TRACE_RATIO: ['1.5', '-1', '1%', '.5', '1e-3', 'on', '0.0000001'],
  HTTPS_PORT: ['-1', '65536', '84.43', '1e3', '0x50', ' 8443', '08443', 'https', '８４４３'],
  HTTP_PORT: ['70000'],
  METRICS_PORT: ['off'],
  METRICS_HOST: ['a b', '[::1]', '127.0.0.256', '127.0.0.1:9464', 'fe80::1%eth0', '*'],
  HOST: ['a b', 'bank_1', '127.0.0.256', '[::1]', 'fe80::1%eth0', '-a', 'https://bank', '1234'],
  PUBLIC_URL: [
    'http://bank.example',
    'https://bank.example/',
    'https://bank.example/api',
    'https://bank.example?a',
    'https://user@bank.example',
    'https://bank.example:443',
    'https://Bank.example',
    'bank.example',
    ' https://bank.example',
  ],
  TRUSTED_PROXIES: [
    '10.0.0.0/33',
    '10.0.0',
    '::1/129',
    '10.0.0.1,',
    'proxy',
    '0.0.0.0/0',
    '::/0',
    '0.0.0.0/1,128.0.0.0/1',
    '10.0.0.0/7',
    'fc00::/6',
    '::/8',
    '::ffff:0:0/96',
    '::ffff:10.0.0.0/103',
    '64:ff9b::/96',
  ],
  SECURITY_CONTACT: [
    'security@bank.example',
    'mailto:a@bank.example,b@bank.example',
    'mailto:',
    'mailto:nobody',
    'http://bank.example/report',
    'https://',
    'https://bank.example/a b',
    'https://bank.example/\nExpires: never',
  ],
  CORS_ORIGINS: ['*', 'null', 'https://*.a.example', 'https://a.example/', 'a.example', 'ws://a.b'],
  DATABASE_URL: [
    'mysql://localhost/bank',
    'postgres:bank',
    'postgres:///bank',
    'postgres://db.example/bank',
    'postgres://localhost/bank?host=db.example',
    'postgres://db.example/bank?sslmode=require',
    'postgres://localhost/bank?sslmode=no-verify',
    'postgres://localhost/bank?options=-c%20role%3Dpostgres',
    'postgres://db.example/bank?sslmode=verify-full&sslmode=disable',
    'postgres://bank:100%@localhost/bank',
    'postgres://bank@ho%st/bank?sslmode=disable',
    'postgres://bank:a#b@localhost/bank',
    'postgres://localhost:99999/bank',
  ],
  READ_DATABASE_URL: ['postgres://localhost/bank'],
  REDIS_URL: [
    'http://cache',
    'redis:///0',
    'redis://cache/zero',
    'redis://cache?family=6',
    'unix://cache.example/run/valkey.sock',
    'unix:///',
    'unix:///run/valkey.sock?db=1',
  ],
  SMTP_URL: ['mail.example', 'smtp://', 'smtps://mail?tls.rejectUnauthorized=false', 'smtp://a/b'],
  MAIL_FROM: [
    'bank',
    'Bank <bank@bank.example>',
    'a@b.example,c@d.example',
    'a@b\r\nBcc: c@d',
    'a@127.0.0.1',
  ],
  TOKEN_TTL: ['15', '15 m', '0s', '-5m', '1.5h', '1500ms', '2d', '1w', '15M'],
  SESSION_IDLE: ['5', '1ms', '999d'],
  SESSION_MAX: ['12', '31d'],
  SESSION_KEEP: ['30', '59s', '3651d', '0s'],
  SECOND_FACTOR: [
    'on',
    'optional,required',
    'admin',
    'root=off',
    'admin=off,admin=off',
    'admin=x=y',
  ],
  SECOND_FACTOR_GRACE: ['0s', '366d', 'none'],
  DEVICE_IDLE: ['1y', '59s', '3651d'],
  MAX_BODY: ['64', '64kb', '0KB', '2049KB', '3MB', '1.5MB', '1GB'],
  MAX_PAGE: ['0', '1001', 'all'],
  MEMBERS: ['', 'true', 'On'],
  PAYEE_CHECK: ['', 'on', 'all', 'Shown'],
  PAYEE_CHECK_URL: [
    '',
    'payees.example',
    'http://payees.example/check',
    'https://user:secret@payees.example',
    'https://payees.example/?key=1',
    'https://payees.example#x',
  ],
  PAYEE_CHECK_SECRET: ['', 'short', 'a secret with spaces', 'x'.repeat(501), `${'x'.repeat(20)}\n`],
  ADMIN_USERNAME: ['ab', '.admin', 'ad min', 'a'.repeat(33), 'админ'],
  ADMIN_PASSWORD: [
    'elevenchars',
    'x1'.repeat(65),
    '👍'.repeat(11),
    '1qaz2wsx3edc',
    'abcabcabcabc',
    'the ADMIN of it',
  ],
  DOCS: ['false', 'Off', '0'],
  LOG_LEVEL: ['INFO', 'verbose'],
  LOG_ANSWERS: ['', 'off', 'ALL', 'without-probes,refusals', ' all', 'none'],
  LIMITS: [
    'read=10/1s',
    '[]',
    'null',
    '{"read":"10/1s"}',
    '{"read":null}',
    '{"read":{"burst":10}}',
    '{"read":{"burst":"0/1s"}}',
    '{"read":{"burst":"10/s"}}',
    '{"read":{"burst":"10/2d"}}',
    '{"read":{"burst":"1.5/1s"}}',
    '{"address":{"sustained":"1/1s"}}',
    '{"__proto__":{"burst":"1/1s"}}',
    '{"read":{"constructor":"1/1s"}}',
  ],
}

/** Settings that a setting does not go without, so that only its own value is wrong. */
const companions: Record<string, Record<string, string>> = {
  SMTP_URL: { MAIL_FROM: 'bank@bank.example', PUBLIC_URL: 'https://bank.example' },
  PAYEE_CHECK_SECRET: { PAYEE_CHECK_URL: 'https://payees.example' },
}

for (const [name, values] of Object.entries(refused)) {
  test(`${name}: what cannot be used is refused in one line without the value`, () => {
    for (const text of values) {
      const lines = findProblems({ ...companions[name], [name]: text })
      assert.equal(lines.length, 1, `${JSON.stringify(text)} → ${JSON.stringify(lines)}`)
      assert.match(lines[0] ?? '', new RegExp(`^STRONGROOM_${name} [^\n]+[.?]$`))
    }
  })
}

test('the help names the file of each secret', () => {
  const files = [...settingsHelp().matchAll(/^ {4}A file that holds it: (\w+)$/gm)]
  const secrets = settingsTable().filter((row) => row.isSecret)
  assert.deepEqual(
    files.map(([, name]) => name),
    secrets.map(({ name }) => `${name}_FILE`),
  )
})

test('an empty value is refused: a lost secret must not mean the default', () => {
  for (const { name } of settingsTable()) {
    const lines = findProblems({ [name.replace('STRONGROOM_', '')]: '' })
    assert.ok(lines.includes(`${name} is empty; give it a value or remove it.`), name)
  }
})

const between: [Record<string, string>, RegExp][] = [
  [{ PAYEE_CHECK_SECRET: 'a'.repeat(16) }, /PAYEE_CHECK_SECRET needs STRONGROOM_PAYEE_CHECK_URL/],
  [
    { PAYEE_CHECK_URL: 'https://payees.example', PAYEE_CHECK: 'off' },
    /PAYEE_CHECK_URL is not used while STRONGROOM_PAYEE_CHECK is off/,
  ],
  [{ TLS_CERT: '/c.pem' }, /TLS_CERT and STRONGROOM_TLS_KEY have to be given together/],
  [{ TLS_KEY: '/k.pem' }, /TLS_CERT and STRONGROOM_TLS_KEY have to be given together/],
  [
    { SMTP_URL: 'smtps://mail.example', PUBLIC_URL: 'https://bank.example' },
    /SMTP_URL needs STRONGROOM_MAIL_FROM/,
  ],
  [
    { SMTP_URL: 'smtps://mail.example', MAIL_FROM: 'bank@bank.example' },
    /SMTP_URL needs STRONGROOM_PUBLIC_URL/,
  ],
  [{ CONFIRM_ABOVE: 'EUR=100.01' }, /CONFIRM_ABOVE may not be more than STRONGROOM_CONFIRM_SUM/],
  [{ CONFIRM_ABOVE: 'EUR=0.01', CONFIRM_SUM: 'none' }, /CONFIRM_ABOVE may not be more than/],
  [{ BIC: 'ABNANL2A' }, /BIC is of another country than STRONGROOM_BANK/],
  [{ BANK: 'NL/ABNA', BIC: 'MARKDEFF' }, /BIC is of another country than STRONGROOM_BANK/],
  [{ BANK: 'NL/ABNA', BANK_CHECK: '13' }, /BANK_CHECK is for German bank codes/],
  [{ BANK: 'DE/370400441', BANK_CHECK: '63' }, /check digit that does not fit/],
  [{ SESSION_IDLE: '13h' }, /SESSION_IDLE may not be longer than STRONGROOM_SESSION_MAX/],
  [{ TOKEN_TTL: '13h' }, /TOKEN_TTL may not be longer than STRONGROOM_SESSION_MAX/],
  [{ SESSION_KEEP: '14m' }, /TOKEN_TTL may not be longer than STRONGROOM_SESSION_KEEP/],
  [{ HTTP_PORT: '8443' }, /HTTPS_PORT and STRONGROOM_HTTP_PORT have to differ/],
  [{ HTTP_PORT: '9464' }, /METRICS_PORT has to differ/],
]

for (const [settings, line] of between) {
  test(`refused together: ${JSON.stringify(settings)}`, () => {
    const lines = findProblems(settings)
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', line)
  })
}

const misspelt: Record<string, string> = {
  STRONGROOM_PROT: 'STRONGROOM_HTTPS_PORT',
  STRONGROOM_HTTPS_PROT: 'STRONGROOM_HTTPS_PORT',
  STRONGROOM_HTTP_PROT: 'STRONGROOM_HTTP_PORT',
  STRONGROOM_METRIC_PORT: 'STRONGROOM_METRICS_PORT',
  STRONGROOM_DATABSE_URL: 'STRONGROOM_DATABASE_URL',
  STRONGROOM_TRUST_PROXY: 'STRONGROOM_TRUSTED_PROXIES',
  STRONGROOM_ADMIN: 'STRONGROOM_ADMIN_USERNAME',
  STRONGROOM_LIMIT: 'STRONGROOM_LIMITS',
  strongroom_host: 'STRONGROOM_HOST',
}

test('a misspelt name stops the start, and the message suggests the nearest name', () => {
  for (const [written, meant] of Object.entries(misspelt)) {
    assert.throws(() => readConfig({ [written]: 'x' }), {
      lines: [`${written} is not a setting; did you mean ${meant}?`],
    })
  }
})

test('every problem is reported at once, each in its own line', () => {
  const limits = '{"raed":{},"login":{"attempt":"1/1s","attempts":"x"}}'
  const lines = findProblems({ HTTPS_PORT: 'x', MAX_PAGE: '0', PROT: '1', LIMITS: limits })
  assert.equal(lines.length, 6)
  assert.match(lines.join('\n'), /class raed that does not exist; did you mean read\?/)
  assert.match(lines.join('\n'), /login\.attempt that does not exist; did you mean login\.attempts/)
})

test('no message holds a value, since any of them may be a secret', () => {
  const secret = 'canary-4711 $'
  for (const { name } of settingsTable()) {
    const lines = findProblems({ [name.replace('STRONGROOM_', '')]: secret.repeat(11) })
    if (!['STRONGROOM_DATA_DIR'].includes(name)) assert.ok(lines.length > 0, name)
    assert.ok(!lines.join('\n').includes('canary'), name)
  }
  const url = 'postgres://bank:canary-4711@db.example/bank?options=canary'
  assert.ok(!findProblems({ DATABASE_URL: url }).join('\n').includes('canary'))
})

test('trusted proxies are recognised in every form of their address, other addresses are not', () => {
  const { trustedProxies } = readConfig({
    STRONGROOM_TRUSTED_PROXIES: '10.1.0.0/16, 192.0.2.7,2001:db8::/32,::1',
  })
  const isTrustedProxy = rangeSet(trustedProxies) ?? assert.fail()
  const trusted = ['10.1.255.255', '::ffff:10.1.0.1', '::ffff:a01:1', '192.0.2.7', '2001:db8::9']
  const strangers = ['10.2.0.0', '::ffff:10.2.0.0', '192.0.2.8', '2001:db9::', '', 'x', '10.1']
  for (const address of [...trusted, '0:0:0:0:0:0:0:1']) assert.ok(isTrustedProxy(address), address)
  for (const address of strangers) assert.ok(!isTrustedProxy(address), address)
})

test('the help names every setting with its default, in at most 100 columns', () => {
  const help = settingsHelp()
  for (const { name } of settingsTable()) assert.match(help, new RegExp(`^${name}$`, 'm'))
  for (const line of help.split('\n')) assert.ok(line.length <= 100, line)
  const secrets = settingsTable().filter((row) => row.isSecret)
  assert.equal(
    secrets.map((row) => row.name.replace('STRONGROOM_', '')).join(' '),
    'DATABASE_URL READ_DATABASE_URL REDIS_URL SMTP_URL OIDC_CLIENT_SECRET PAYEE_CHECK_SECRET ' +
      'ADMIN_PASSWORD',
  )
})
