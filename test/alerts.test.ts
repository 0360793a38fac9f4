// The alerts and the dashboard: every metric they name is one that the service has, each alert
// fires where it should and is quiet where all is well, and names a page of the runbook.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createMetrics, currencyReadingNames, readingNames } from '../src/telemetry/metrics.ts'
import { toldCauses } from '../src/telemetry/outages.ts'

const file = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))
const read = (name: string): string => readFileSync(file(name), 'utf8')
const rules = read('deploy/alerts.yml')
const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => String(name))

/** Every series of the service, with the endings that a histogram adds. */
async function seriesNames(): Promise<Set<string>> {
  const metrics = createMetrics()
  metrics.answered('GET', '/x', 'not_found', 0.1)
  metrics.limited('read')
  metrics.watch(Object.fromEntries(readingNames.map((name) => [name, () => 1])))
  const sums = currencyReadingNames.map((name) => [name, () => new Map([['EUR', 1]])])
  metrics.watchByCurrency(Object.fromEntries(sums))
  metrics.watchOutages(() => true)
  metrics.watchProcess()
  const text = await metrics.text()
  return new Set([...text.matchAll(/^(\w+)[{ ]/gm)].map(([, name]) => String(name)))
}

for (const name of ['deploy/alerts.yml', 'deploy/dashboard.json']) {
  test(`every metric that ${name} names is one of the service`, async () => {
    const known = await seriesNames()
    const named = new Set(read(name).match(/\b(?:strongroom|process|nodejs)_\w+\b/g))
    assert.ok(named.size > 20)
    for (const metric of named) assert.ok(known.has(metric), metric)
  })
}

test('each alert says how urgent it is, and leads to a page of its own in the runbook', () => {
  const headings = [...read('docs/RUNBOOK.md').matchAll(/^## (.+)$/gm)].map(([, text]) =>
    String(text)
      .toLowerCase()
      .replace(/[^a-z ]/g, '')
      .replaceAll(' ', '-'),
  )
  const blocks = rules.split('- alert: ').slice(1)
  for (const block of blocks) {
    assert.match(block, /severity: (page|ticket) \}/)
    const [, anchor = ''] = /runbook: docs\/RUNBOOK\.md#([a-z-]+)/.exec(block) ?? []
    assert.ok(headings.includes(anchor) && anchor !== 'first-questions', block)
  }
})

/**
 * Runs promtool; skips the test where it is not installed. Gives what it says of a fault. It takes
 * seconds, in which the connections of other files of this process are not left alone.
 */
async function promtool(t: TestContext, ...args: string[]): Promise<string> {
  const { error, output } = await new Promise<{ error: Error | null; output: string }>((resolve) =>
    execFile('promtool', args, (error, stdout, stderr) =>
      resolve({ error, output: stdout + stderr }),
    ),
  )
  if (error && 'code' in error && error.code === 'ENOENT') {
    t.skip('promtool is not installed')
    return ''
  }
  return error ? output || error.message : ''
}

const service = 'job="strongroom",instance="bank1"'
const series = (name: string, labels = '') => {
  const metric = /^(strongroom|process|up)/.test(name) ? name : `strongroom_${name}`
  return `${metric}{${service}${labels}}`
}
const transferRequests = (labels: string) =>
  series('requests_total', `,method="POST",route="/api/v1/transfers"${labels}`)
const day = 86_400

/** Of each alert: the series that make it fire, by minutes, from the beginning of 1970 on. */
const firing: Record<string, Record<string, string>> = {
  StrongroomDown: { [series('up')]: '0x30' },
  StrongroomDatabaseAway: { [series('database_reachable')]: '0x30' },
  StrongroomLockHeld: { [series('outage', ',cause="lock"')]: '1x30' },
  StrongroomOutage: { [series('outage', ',cause="pool"')]: '1x30' },
  StrongroomUnavailable: {
    [transferRequests(',status="201"')]: '0+94x30',
    [transferRequests(',status="503",code="unavailable"')]: '0+6x30',
    // Reads that succeed hide no payment that fails.
    [series('requests_total', ',method="GET",route="/api/v1/transfers",status="200"')]: '0+6000x30',
  },
  StrongroomDiskFull: { [series('disk_full')]: '1x30' },
  StrongroomDiskFilling: {
    [series('data_disk_free_bytes')]: '19x30',
    [series('data_disk_size_bytes')]: '100x30',
  },
  StrongroomLimitStoreAway: { [series('limit_store_reachable')]: '0x30' },
  StrongroomLimitStoreMayForget: { [series('limit_store_may_forget')]: '1x30' },
  StrongroomWritesRefused: { [series('writes_refused')]: '1x30' },
  StrongroomReadStandbyUnused: { [series('read_standby_used')]: '0x30' },
  StrongroomClockDiffers: { [series('clock_difference_seconds')]: '-3x30' },
  StrongroomBooksUnsound: {
    [series('verify_failure_timestamp_seconds')]: '2000x30',
    [series('verify_success_timestamp_seconds')]: '1000x30',
  },
  StrongroomBooksNotProven: { [series('verify_success_timestamp_seconds')]: `-${2 * day}x90` },
  StrongroomBackupOld: { [series('backup_timestamp_seconds')]: `-${2 * day}x90` },
  StrongroomOutcomeUnknown: {
    [series('requests_total', ',code="outcome_unknown"')]: '_x18 1x12',
  },
  StrongroomDefect: { [series('requests_total', ',code="internal_error"')]: '_x18 1x12' },
  StrongroomErrors: { [series('log_errors_total')]: '0x18 1x12' },
  StrongroomRestarts: { [series('process_start_time_seconds')]: '0+60x30' },
  StrongroomAuditLost: { [series('audit_lost')]: '1x30' },
  StrongroomAuditWaits: { [series('audit_waiting')]: '1001x30' },
  StrongroomMailsLate: { [series('mail_oldest_age_seconds')]: '601x30' },
  StrongroomMailGivenUp: { [series('mails_given_up_total')]: '0x18 1x12' },
  StrongroomInvitationsWait: { [series('invitation_idle_seconds')]: `${day + 1}x30` },
  StrongroomPaymentSearchLate: { [series('payment_search_oldest_age_seconds')]: '601x30' },
  StrongroomOrdersFail: { [series('order_runs_failed_total')]: '0x18 10x12' },
  StrongroomListsFail: { [series('list_lines_failed_total')]: '0x18 60x12' },
  StrongroomListsLate: { [series('list_oldest_age_seconds')]: '901x30' },
  StrongroomPayeeChecksFail: { [series('payee_checks_failed_total')]: '0x18 6x12' },
  StrongroomOrdersLate: { [series('order_oldest_age_seconds')]: '7201x30' },
  StrongroomPaymentsWait: {
    [series('payment_pending_oldest_age_seconds')]: `0x30`,
    [series('payment_sent_oldest_age_seconds')]: `${5 * day + 1}x30`,
  },
  StrongroomSuspense: { [series('suspense_oldest_age_seconds')]: `${2 * day + 1}x30` },
  StrongroomOverdrawn: {
    [series('account_overdrawn_oldest_age_seconds')]: `${30 * day + 1}x30`,
  },
  StrongroomDisputesWait: { [series('dispute_oldest_age_seconds')]: `${3 * day + 1}x30` },
  StrongroomApprovalsWait: { [series('approval_oldest_age_seconds')]: '14401x30' },
  StrongroomDraftsStay: { [series('draft_oldest_age_seconds')]: `${31 * day + 1}x30` },
  StrongroomDayNotClosed: { [series('close_day_success_timestamp_seconds')]: `-${2 * day}x90` },
  StrongroomBooksNotZero: {
    [series('close_day_failure_timestamp_seconds')]: '2000x30',
    [series('close_day_success_timestamp_seconds')]: '1000x30',
  },
  StrongroomTextsWait: { [series('entries_without_texts')]: '1x1500' },
  StrongroomArchiveFails: { [series('archive_failing')]: '1x30' },
  StrongroomReplicationSlot: { [series('replication_slots_inactive')]: '1x30' },
  StrongroomTransactionIds: { [series('transaction_id_age')]: '500000001x30' },
  StrongroomWebhooksLate: { [series('webhook_oldest_age_seconds')]: '3601x30' },
  StrongroomWebhookDisabled: { [series('webhooks_disabled')]: '1x30' },
  StrongroomEventsLate: { [series('events_not_numbered')]: '1001x30' },
  StrongroomCertificateExpires: {
    [series('certificate_expires_timestamp_seconds')]: `${5 * day}x30`,
  },
  StrongroomIbansShort: { [series('ibans_left')]: '999x30' },
  StrongroomHolidaysEnd: { [series('holidays_end_timestamp_seconds')]: `${60 * day - 1}x30` },
  StrongroomYearsEnd: { [series('years_end_timestamp_seconds')]: `${31 * day - 1}x30` },
  StrongroomPasswordsGuessed: { [series('rate_limited_total', ',class="login"')]: '0+60x30' },
  StrongroomIssuerAway: { [series('issuer_reachable')]: '0x30' },
  StrongroomIssuerBypassed: { [series('staff_password_logins_total')]: '0x18 1x12' },
  StrongroomConnectionsRefused: { [series('connections_refused_total')]: '0+120x30' },
  StrongroomTransfersWait: { [series('transfers_under_way')]: '1001x30' },
  StrongroomSlow: {
    [series('request_seconds_bucket', ',route="/",le="1"')]: '0+98x30',
    [series('request_seconds_bucket', ',route="/",le="2"')]: '0+100x30',
    [series('request_seconds_bucket', ',route="/",le="+Inf"')]: '0+100x30',
  },
  StrongroomMemory: { [series('process_resident_memory_bytes')]: '1100000000x30' },
}

/** A bank where all is well, at the bounds. */
const well: Record<string, string> = {
  [series('up')]: '1x90',
  [series('database_reachable')]: '1x90',
  [series('outage', ',cause="lock"')]: '0x90',
  [transferRequests(',status="201"')]: '0+96x90',
  [transferRequests(',status="503",code="unavailable"')]: '0+4x90',
  [series('disk_full')]: '0x90',
  [series('data_disk_free_bytes')]: '20x90',
  [series('data_disk_size_bytes')]: '100x90',
  [series('limit_store_reachable')]: '1x90',
  [series('limit_store_may_forget')]: '0x90',
  [series('issuer_reachable')]: '1x90',
  [series('staff_password_logins_total')]: '3x90',
  [series('writes_refused')]: '0x90',
  [series('read_standby_used')]: '1x90',
  [series('clock_difference_seconds')]: '2x90',
  [series('verify_failure_timestamp_seconds')]: '-2000x90',
  [series('verify_success_timestamp_seconds')]: '-1000x90',
  [series('backup_timestamp_seconds')]: '-1000x90',
  [series('requests_total', ',code="internal_error"')]: '3x90',
  [series('log_errors_total')]: '7x90',
  [series('process_start_time_seconds')]: '0x90',
  [series('audit_lost')]: '0x90',
  [series('audit_waiting')]: '1000x90',
  [series('mail_oldest_age_seconds')]: '600x90',
  [series('mails_given_up_total')]: '2x90',
  [series('invitation_idle_seconds')]: `${day}x90`,
  [series('payment_search_oldest_age_seconds')]: '600x90',
  [series('order_runs_failed_total')]: '2x90',
  [series('list_lines_failed_total')]: '9x90',
  [series('list_oldest_age_seconds')]: '900x90',
  [series('payee_checks_failed_total')]: '5x90',
  [series('order_oldest_age_seconds')]: '7200x90',
  [series('payment_pending_oldest_age_seconds')]: `${3 * day}x90`,
  [series('payment_sent_oldest_age_seconds')]: `${5 * day}x90`,
  [series('suspense_oldest_age_seconds')]: `${2 * day}x90`,
  [series('account_overdrawn_oldest_age_seconds')]: `${30 * day}x90`,
  [series('dispute_oldest_age_seconds')]: `${3 * day}x90`,
  [series('approval_oldest_age_seconds')]: '14400x90',
  [series('draft_oldest_age_seconds')]: `${31 * day}x90`,
  [series('close_day_failure_timestamp_seconds')]: '-2000x90',
  [series('close_day_success_timestamp_seconds')]: '-1000x90',
  [series('entries_without_texts')]: '0x90',
  [series('archive_failing')]: '0x90',
  [series('archive_waiting_bytes')]: '160000000x90',
  [series('replication_slots_inactive')]: '0x90',
  [series('replication_slot_behind_bytes')]: '5000000000x90',
  [series('transaction_id_age')]: '500000000x90',
  [series('webhook_oldest_age_seconds')]: '3600x90',
  [series('webhooks_disabled')]: '0x90',
  [series('events_not_numbered')]: '1000x90',
  [series('certificate_expires_timestamp_seconds')]: `${7 * day}x90`,
  [series('holidays_end_timestamp_seconds')]: `${61 * day}x90`,
  [series('years_end_timestamp_seconds')]: `${32 * day}x90`,
  [series('ibans_left')]: '1000x90',
  [series('rate_limited_total', ',class="login"')]: '0+6x90',
  [series('connections_refused_total')]: '0+30x90',
  [series('transfers_under_way')]: '1000x90',
  [series('database_pool_waiting')]: '0x90',
  [series('request_seconds_bucket', ',route="/",le="1"')]: '0+100x90',
  [series('request_seconds_bucket', ',route="/",le="+Inf"')]: '0+100x90',
  [series('process_resident_memory_bytes')]: '900000000x90',
}

const firingOf = (name: string): string => `count(ALERTS{alertname="${name}",alertstate="firing"})`

const toTest = (
  values: Record<string, string>,
  minute: number,
  fires: Record<string, boolean>,
) => ({
  interval: '1m',
  input_series: Object.entries(values).map(([name, text]) => ({ series: name, values: text })),
  promql_expr_test: Object.entries(fires).map(([name, does]) => ({
    expr: firingOf(name),
    eval_time: `${minute}m`,
    exp_samples: does ? [{ labels: '{}', value: 1 }] : [],
  })),
})

test('each alert fires where it should, and is quiet where all is well', async (t) => {
  assert.deepEqual(Object.keys(firing), names)
  /** After how many minutes, where it is not 19. */
  const long: Record<string, number> = {
    StrongroomBooksNotProven: 85,
    StrongroomBackupOld: 85,
    StrongroomDayNotClosed: 85,
    StrongroomTextsWait: 1450,
  }
  const tests = Object.entries(firing).map(([name, values]) =>
    toTest(values, long[name] ?? 19, { [name]: true }),
  )
  const quiet = Object.fromEntries(names.map((name) => [name, false]))
  tests.push(toTest(well, 85, quiet))
  const unsound = { [series('verify_failure_timestamp_seconds')]: '2000x30' }
  tests.push(toTest(unsound, 10, { StrongroomBooksUnsound: true }))
  // A failure of a proof of all is not over with a proof of what is new.
  for (const [failed, proven, proof, isUnsound] of [
    ['verify', 'verify_new', 4000, true],
    ['verify_new', 'verify', 2000, true],
    ['verify_new', 'verify', 4000, false],
    ['verify_new', 'verify_new', 4000, false],
  ] as const) {
    const values = {
      [series('verify_success_timestamp_seconds')]: '1000x30',
      [series(`${failed}_failure_timestamp_seconds`)]: '3000x30',
      [series(`${proven}_success_timestamp_seconds`)]: `${proof}x30`,
    }
    tests.push(toTest(values, 10, { StrongroomBooksUnsound: isUnsound }))
  }
  // What is new was proven lately, and all of the books in the last eight days, or not.
  for (const days of [7, 9]) {
    const values = {
      [series('verify_success_timestamp_seconds')]: `-${days * day}x90`,
      [series('verify_new_success_timestamp_seconds')]: '-1000x90',
    }
    tests.push(toTest(values, 85, { StrongroomBooksNotProven: days > 8 }))
  }
  const behind = { [series('archive_waiting_bytes')]: '160000001x30' }
  tests.push(toTest(behind, 19, { StrongroomArchiveFails: true }))
  const slow = { [series('replication_slot_behind_bytes')]: '5000000001x30' }
  tests.push(toTest(slow, 19, { StrongroomReplicationSlot: true }))
  const waits = { [series('payment_pending_oldest_age_seconds')]: `${3 * day + 1}x30` }
  tests.push(toTest(waits, 19, { StrongroomPaymentsWait: true }))
  const uneven = { [series('close_day_failure_timestamp_seconds')]: '2000x30' }
  tests.push(toTest(uneven, 10, { StrongroomBooksNotZero: true }))
  for (const cause of toldCauses) {
    const values = { [series('outage', `,cause="${cause}"`)]: '1x30' }
    const causes = { StrongroomOutage: true, StrongroomLockHeld: cause === 'lock' }
    tests.push(toTest(values, 10, causes))
  }
  const never = { [series('events_not_numbered')]: '0x90' }
  tests.push(toTest(never, 85, { StrongroomBooksNotProven: true }))
  const folder = mkdtempSync(path.join(tmpdir(), 'strongroom-alerts-'))
  t.after(() => rmSync(folder, { recursive: true }))
  assert.equal(await promtool(t, 'check', 'rules', file('deploy/alerts.yml')), '')
  const isOfDays = ({ promql_expr_test: [one] }: (typeof tests)[number]) =>
    one?.eval_time === '1450m'
  const suites = {
    '1m': tests.filter((each) => !isOfDays(each)),
    // All rules in each minute of a day would take most of the time.
    '10m': tests.filter(isOfDays),
  }
  for (const [interval, some] of Object.entries(suites)) {
    assert.ok(some.length > 0)
    const suite = path.join(folder, `${interval}.test.json`)
    const rule_files = [file('deploy/alerts.yml')]
    writeFileSync(suite, JSON.stringify({ rule_files, evaluation_interval: interval, tests: some }))
    assert.equal(await promtool(t, 'test', 'rules', suite), '')
  }
})

test('the dashboard can be imported: each panel has a place, a title and a query', () => {
  type Panel = { id: number; title: string; gridPos: object; targets: { expr: string }[] }
  const { panels, uid } = JSON.parse(read('deploy/dashboard.json')) as {
    panels: Panel[]
    uid: string
  }
  assert.equal(uid, 'strongroom')
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  assert.equal(new Set(panels.map(({ gridPos }) => JSON.stringify(gridPos))).size, panels.length)
  for (const { title, targets } of panels) {
    assert.ok(title.length > 3 && targets.length > 0)
    for (const { expr } of targets) assert.match(expr, /instance=~"\$instance"/)
  }
})
