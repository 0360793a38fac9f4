// Dashboards and alerts refer to these names: metrics, labels, buckets, log fields and log
// messages. A change here is a change for every operator.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { faultKinds } from './episodes.ts'
import { createMetrics, currencyReadingNames, type Metrics, readingNames } from './metrics.ts'

const src = new URL('../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, src), 'utf8')

const metricNames = {
  account_overdrawn_oldest_age_seconds: 'gauge',
  accounts_overdrawn: 'gauge',
  approval_oldest_age_seconds: 'gauge',
  approvals_waiting: 'gauge',
  archive_failing: 'gauge',
  archive_timestamp_seconds: 'gauge',
  archive_waiting_bytes: 'gauge',
  audit_lost: 'gauge',
  audit_waiting: 'gauge',
  backup_timestamp_seconds: 'gauge',
  build_info: 'gauge version',
  cache_bytes: 'gauge',
  certificate_expires_timestamp_seconds: 'gauge',
  clock_difference_seconds: 'gauge',
  close_day_failure_timestamp_seconds: 'gauge',
  close_day_success_timestamp_seconds: 'gauge',
  connections_refused_total: 'counter',
  data_disk_free_bytes: 'gauge',
  data_disk_size_bytes: 'gauge',
  database_pool_connections: 'gauge',
  database_pool_idle: 'gauge',
  database_pool_waiting: 'gauge',
  database_reachable: 'gauge',
  disk_full: 'gauge',
  dispute_oldest_age_seconds: 'gauge',
  disputes_waiting: 'gauge',
  entries_without_texts: 'gauge',
  events_not_numbered: 'gauge',
  hashes_under_way: 'gauge',
  holidays_end_timestamp_seconds: 'gauge',
  ibans_left: 'gauge',
  limit_store_may_forget: 'gauge',
  issuer_reachable: 'gauge',
  issuer_refused_total: 'counter',
  limit_store_reachable: 'gauge',
  list_lines_failed_total: 'counter',
  draft_oldest_age_seconds: 'gauge',
  drafts_waiting: 'gauge',
  list_oldest_age_seconds: 'gauge',
  lists_due: 'gauge',
  log_errors_total: 'counter',
  mail_oldest_age_seconds: 'gauge',
  mails_given_up_total: 'counter',
  invitation_idle_seconds: 'gauge',
  invitations_waiting: 'gauge',
  mails_waiting: 'gauge',
  order_oldest_age_seconds: 'gauge',
  order_runs_failed_total: 'counter',
  orders_due: 'gauge',
  outage: 'gauge cause',
  payee_checks_failed_total: 'counter',
  payment_pending_oldest_age_seconds: 'gauge',
  payment_sent_oldest_age_seconds: 'gauge',
  payment_search_oldest_age_seconds: 'gauge',
  payments_pending: 'gauge',
  payments_sent: 'gauge',
  rate_limited_total: 'counter class',
  read_standby_used: 'gauge',
  replication_slot_behind_bytes: 'gauge',
  replication_slots_inactive: 'gauge',
  request_seconds:
    'histogram le method route 0.001 0.002 0.005 0.01 0.02 0.05 0.1 0.2 0.5 1 2 5 +Inf',
  requests_total: 'counter code method route status',
  session_check_statements_total: 'counter',
  session_checks_total: 'counter',
  sessions_live: 'gauge',
  signature_checks_total: 'counter',
  spans_dropped_total: 'counter',
  staff_password_logins_total: 'counter',
  standby_reads_failed_total: 'counter',
  standby_reads_total: 'counter',
  suspense_balance: 'gauge currency',
  suspense_oldest_age_seconds: 'gauge',
  transaction_id_age: 'gauge',
  transfer_batch_size: 'histogram le 1 2 4 8 16 32 64 128 256 512 +Inf',
  transfers_under_way: 'gauge',
  verify_failure_timestamp_seconds: 'gauge',
  verify_new_failure_timestamp_seconds: 'gauge',
  verify_new_success_timestamp_seconds: 'gauge',
  verify_success_timestamp_seconds: 'gauge',
  webhook_deliveries_waiting: 'gauge',
  webhook_oldest_age_seconds: 'gauge',
  webhooks_disabled: 'gauge',
  years_end_timestamp_seconds: 'gauge',
  writes_refused: 'gauge',
}

/** Each family of the text format with its type, the labels of its series, its buckets. */
function describeFamilies(text: string): Record<string, string> {
  const families = [...text.matchAll(/^# TYPE strongroom_(\w+) (\w+)\n((?:[^#].*\n)*)/gm)]
  const described = families.map(([, name = '', type = '', series = '']) => {
    const labels = [...series.matchAll(/[{,](\w+)="([^"]*)"/g)]
    const names = new Set(labels.map(([, label]) => String(label)).toSorted())
    const buckets = labels.flatMap(([, label, value]) => (label === 'le' ? value : []))
    return [name, [type, ...names, ...buckets].join(' ')]
  })
  return Object.fromEntries(described)
}

function watchAll(metrics: Metrics): void {
  metrics.watchOutages(() => true)
  metrics.watch(Object.fromEntries(readingNames.map((name) => [name, () => 1])))
  const sums = currencyReadingNames.map((name) => [name, () => new Map([['EUR', 1]])])
  metrics.watchByCurrency(Object.fromEntries(sums))
}

test('the names of metrics, their types, labels and buckets', async () => {
  const metrics = createMetrics()
  metrics.answered('GET', '/x', 200, 0.0015)
  metrics.answered('GET', '/x', 'not_found', 0.0015)
  metrics.limited('read')
  watchAll(metrics)
  assert.deepEqual(describeFamilies(await metrics.text()), metricNames)
})

test('every metric, also of the process, is named as Prometheus asks', async () => {
  const metrics = createMetrics()
  watchAll(metrics)
  metrics.watchProcess()
  const text = await metrics.text()
  const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  assert.ok(families.length > 40)
  for (const [, name = '', type] of families) {
    assert.match(name, /^(strongroom|process|nodejs)(_[a-z0-9]+)+$/)
    assert.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`)
    assert.doesNotMatch(name, /_(count|sum|bucket)$/, name)
    assert.doesNotMatch(name, /_(gauge|counter|histogram|summary)(_|$)/, name)
    // Base units alone, at the end of the name.
    assert.doesNotMatch(
      name,
      /_(ms|milliseconds?|microseconds?|minutes?|hours?|kb|mb|kilobytes?)(_|$)/,
    )
    assert.match(name, /^(?!.*_(seconds|bytes)_)|_(seconds|bytes)_total$/, `the unit of ${name}`)
    const isMeasured = /lag|duration|heap_s|memory/.test(name)
    assert.equal(isMeasured && !/_(seconds|bytes)$/.test(name), false, `${name} has no unit`)
    assert.match(text, new RegExp(`^# HELP ${name} \\S`, 'm'))
  }
})

const messageOf = (call: string): string =>
  /(['"])((?:(?!\1).)*)\1,?\s*\),?$/.exec(call)?.[2] ?? call

/** The calls of the log in the sources, but for those of episodes. */
const logCalls = () =>
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => file !== 'telemetry/episodes.ts')
    .flatMap((file) => [
      ...read(file).matchAll(/\blog\.(?:debug|info|warn|error|over)\(.*?\),?$/gms),
    ])

test('the fields and the messages of log events', () => {
  const [, event = ''] = /export type Event = \{(.*?)\n\}/s.exec(read('telemetry/log.ts')) ?? []
  assert.deepEqual(
    [...event.matchAll(/^ {2}(\w+)\?:/gm)].map(([, field]) => field).join(' '),
    'requestId method route status code window milliseconds userId sessionId address because ' +
      'cause lock runbook version traceId spanId error',
  )
  const calls = logCalls()
  const messages = calls.map(([call]) => messageOf(call))
  // Those of outages are in one table: `outages.ts`.
  const ofEpisodes = Object.values(faultKinds).flatMap((kind) => [
    ...('begin' in kind ? [kind.begin] : []),
    kind.end,
  ])
  assert.deepEqual(
    new Set([...messages, ...ofEpisodes]),
    new Set([
      'a defect fails requests',
      'a secret cannot be used; the old one stays',
      'a secret was replaced',
      'secrets cannot be read; the old ones stay',
      'the certificate and the secrets were not all read',
      'the certificate and the secrets were read again',
      'the file of the first password could not be removed',
      'the file of the first password was removed',
      'the first administrator still has the generated password',
      'too few files may be open at once (ulimit -n) for STRONGROOM_MAX_CONNECTIONS',
      "the service's login owns the database or is a superuser: give it one that does not",
      'STRONGROOM_FOUR_EYES leaves ways to the same end to one administrator',
      'a reserved slot could not be settled',
      'a webhook was disabled',
      'a line of a payment list could not be paid',
      'a standing order could not be run',
      'answered',
      'COMMITs are confirmed again',
      'audit event not written',
      'draining',
      'file was cut',
      'mail given up',
      'mail not sent; will try again',
      'no mail was given up for a minute',
      'no outcome was unknown for a minute',
      'no request failed by a defect for a minute',
      'no webhook is disabled any more',
      'outcomes of changes are not known',
      'the database does not answer yet',
      'the database is back',
      'the database is out of reach',
      'the file of STRONGROOM_HOLIDAYS ends within 60 days',
      'the limit store keeps all limits again',
      'no spans reach the collector',
      'spans reach the collector again',
      'no bank has this bank code; set STRONGROOM_BANK',
      'no check digits: set STRONGROOM_BANK_CHECK or STRONGROOM_IBANS=pool',
      'no COMMIT is confirmed; writes are refused',
      'payment lists wait for the database',
      'ready',
      'refused',
      'refused payments not noted',
      'rows could not be purged; it is tried again',
      'standing orders wait for the database',
      'starting',
      'the certificate could not be renewed',
      'the certificate was renewed',
      'the standby for reads is not used: the primary answers',
      'the standby for reads is used again',
      "the clock agrees with the database's again",
      "the clock differs from the database's",
      'the embedded database could not be started',
      'the embedded database is back',
      'the embedded database went away',
      'the issuer answers again',
      'the issuer does not answer; staff cannot sign in there',
      'the limit store is back',
      'the limit store is out of reach',
      'the limit store may forget live limits: set maxmemory-policy noeviction',
      'the outbox waits for the database',
      'the schema was migrated',
      'the texts of older entries are filled in',
      'the responder for payees of other banks answers again',
      'the responder for payees of other banks fails',
      'the result of a webhook was not noted',
      'the webhooks wait for the database',
      'uncaught exception',
      'unhandled rejection',
    ]),
  )
})

/** The line that ends a fault, by the one that begins it. */
const ends: Record<string, string> = {
  'COMMITs are confirmed again': 'no COMMIT is confirmed; writes are refused',
  'no webhook is disabled any more': 'a webhook was disabled',
  'spans reach the collector again': 'no spans reach the collector',
  "the clock agrees with the database's again": "the clock differs from the database's",
  'the standby for reads is used again': 'the standby for reads is not used: the primary answers',
  'the database is back': 'the database is out of reach',
  'the embedded database is back': 'the embedded database went away',
  'the issuer answers again': 'the issuer does not answer; staff cannot sign in there',
  'the limit store is back': 'the limit store is out of reach',
  'the responder for payees of other banks answers again':
    'the responder for payees of other banks fails',
  'the limit store keeps all limits again':
    'the limit store may forget live limits: set maxmemory-policy noeviction',
}

test('the line that ends a fault has the level of the one that began it: a filter shows both or none', () => {
  const calls = logCalls().map(([call]) => call)
  const levels = new Map(
    calls.map((call) => [messageOf(call), /log\.(?:over\('(\w+)'|(\w+)\()/.exec(call)]),
  )
  for (const [end, begin] of Object.entries(ends)) {
    const [, , level] = levels.get(begin) ?? []
    assert.ok(level !== undefined, begin)
    assert.equal(levels.get(end)?.[1], level, end)
  }
  const told = calls.filter((call) => call.startsWith('log.over(')).map(messageOf)
  assert.deepEqual(new Set(told), new Set(Object.keys(ends)))
})
