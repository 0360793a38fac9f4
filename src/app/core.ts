// What works beside requests, and what all of them share: the windows of limits, the ledger, the
// hashing of passwords, the feed of events, mails, webhooks and purges.
import type { Config } from '../config/config.ts'
import type { Clocks } from '../database/background/clocks.ts'
import type { ServiceDatabase } from '../database/connections/connect.ts'
import type { Fit } from '../database/schema/judge-schema.ts'
import { type PurgeBatch, startPurge } from '../database/background/purge.ts'
import { makeYears } from '../database/background/years.ts'
import type { Clock } from '../domain/clock.ts'
import { purgeApprovals } from '../features/approvals/sql.ts'
import { createPasswords, type Hashing } from '../features/credentials/passwords.ts'
import { purgeAuth } from '../features/auth/purge.ts'
import { issueToken } from '../features/auth/reset.ts'
import { openFeed, type OpenFeed } from '../features/events/feed.ts'
import { readAuthorities } from '../features/issuer/authorities.ts'
import { openIssuer } from '../features/issuer/client.ts'
import {
  openPayeeResponder,
  type OpenPayeeResponder,
  type ResponderParts,
} from '../features/payee-checks/responder.ts'
import { purgePayeeChecks } from '../features/payee-checks/sql.ts'
import { indexingPayments } from '../features/payments/indexing.ts'
import { openRefusedPayments, type OpenRefusedPayments } from '../features/payments/refusals.ts'
import { purgeRefusedPayments } from '../features/payments/refused-sql.ts'
import type { Days } from '../domain/days.ts'
import { openOrders, type Orders } from '../features/orders/worker.ts'
import { sweepDrafts } from '../features/drafts/sweep.ts'
import { sweepMembers } from '../features/members/sweep.ts'
import { purgeLists } from '../features/payment-lists/purge.ts'
import { openPaymentLists, type PaymentLists } from '../features/payment-lists/worker.ts'
import { openOutbox, type Outbox } from '../features/mail/outbox.ts'
import type { QueueWorker } from '../database/background/queue-worker.ts'
import { createMailTransport, type ReplaceableTransport } from '../features/mail/transport.ts'
import { purgeWebhooks } from '../features/webhooks/delivery-sql.ts'
import { openWebhooks } from '../features/webhooks/worker.ts'
import { recentSecret } from '../gate/provision.ts'
import type { SharedWindows } from '../gate/store/redis-windows.ts'
import { windowsInProcess, type WindowStore } from '../gate/window.ts'
import type { Issuer, Passwords } from '../http/services.ts'
import { type Ledger, openLedger } from '../ledger/batch/batch.ts'
import { sweepHolds } from '../ledger/rows/holds.ts'
import { sweepOrderTexts } from '../ledger/erasure/order-texts.ts'
import { fillingEntryTexts, purgeLedger } from '../ledger/batch/purge.ts'
import type { Episodes } from '../telemetry/episodes.ts'
import { describeError, type Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { watchDue } from './due.ts'

export type Core = {
  windows: WindowStore
  ledger: Ledger
  passwords: Passwords
  /** By which staff sign in; undefined where none is set. */
  issuer: Issuer | undefined
  feed: OpenFeed
  outbox: Outbox
  orders: Orders
  paymentLists: PaymentLists
  transport: ReplaceableTransport
  webhooks: QueueWorker
  payeeResponder: OpenPayeeResponder
  refusedPayments: OpenRefusedPayments
  /** The store on another machine that instances count limits in. */
  limitStore: SharedWindows | undefined
  close(): Promise<void>
}

/** What every part of a service is built from. */
export type Foundation = {
  config: Config
  db: ServiceDatabase
  clock: Clock
  clocks: Clocks
  fit: Fit
  log: Log
  metrics: Metrics
  episodes: Episodes
  publicUrl: string
}

/** All that a service removes because of its age, and what it fills in. */
export const purgesOf = (
  ages: Pick<Config, 'sessionKeep' | 'deviceIdle'>,
  log: Pick<Log, 'info'>,
  days: () => Days,
): PurgeBatch[] => [
  purgeLedger,
  sweepHolds,
  sweepOrderTexts,
  fillingEntryTexts((entryCount) =>
    log.info({ entryCount }, 'the texts of older entries are filled in'),
  ),
  purgeAuth(ages),
  purgeWebhooks,
  purgeApprovals,
  purgePayeeChecks,
  purgeLists,
  sweepDrafts,
  sweepMembers,
  purgeRefusedPayments,
  indexingPayments(days),
  makeYears,
]

/** What tests replace of the service's own. */
export type CoreParts = {
  hashing?: Hashing | undefined
  /**
   * How often mails, standing orders, lists and webhooks are looked for. `never`: nothing is purged
   * either, so that a test that sweeps by itself sees what is there before, however long it takes.
   */
  pollMs?: number | 'never' | undefined
  /** How the responder for payees of other banks is reached. */
  responderSender?: ResponderParts['sender']
}

export async function openCore(parts: Foundation & CoreParts): Promise<Core> {
  const { config, db, clock, clocks, log, metrics, publicUrl, hashing, pollMs } = parts
  const { responderSender } = parts
  await using opened = new AsyncDisposableStack()
  const isAsleep = pollMs === 'never'
  if (!isAsleep) {
    const purge = startPurge(db, clock, purgesOf(config, log, clocks.days), (thrown) =>
      log.error({ error: describeError(thrown) }, 'rows could not be purged; it is tried again'),
    )
    opened.defer(() => purge.stop())
  }
  const limitStore = config.redisUrl
    ? await sharedWindows(config.redisUrl, db, { clock, log })
    : undefined
  opened.defer(() => limitStore?.close())
  const ledger = openLedger(db, clock, metrics, { areMembersOn: config.members })
  opened.defer(() => ledger.close())
  const transport = createMailTransport(config)
  const { bankName } = config
  const queue = { db, clock, clocks, log, isAsleep }
  const outbox = openOutbox({ ...queue, publicUrl, bankName, issueToken, transport })
  opened.defer(() => outbox.close())
  const orders = openOrders({ ...queue, config, ledger })
  opened.defer(() => orders.close())
  const paymentLists = openPaymentLists({ ...queue, config, ledger })
  opened.defer(() => paymentLists.close())
  const feed = openFeed(db, clock)
  opened.defer(() => feed.close())
  const sender = { isOpen: config.privateWebhooks }
  const webhooks = openWebhooks({ ...queue, sender })
  opened.defer(() => webhooks.close())
  const due = watchDue(
    { clock, clocks, pollMs: isAsleep ? undefined : pollMs, numberEvents: feed.number },
    { mails: outbox, orders, lists: paymentLists, webhooks },
  )
  opened.defer(() => due.stop())
  const payeeResponder = openPayeeResponder({ config, log, clock, sender: responderSender })
  opened.defer(() => payeeResponder.close())
  const refusedPayments = openRefusedPayments(db, log)
  opened.defer(() => refusedPayments.close())
  const passwords = await createPasswords({ hashing, underWay: metrics.hashesUnderWay })
  const ca = await readAuthorities(config)
  const issuer = openIssuer({ config, ca, publicUrl, clock, log })
  opened.defer(() => issuer?.close())
  const windows = limitStore ?? windowsInProcess(clock.monotonic)
  const kept = opened.move()
  const close = () => kept.disposeAsync()
  return {
    windows,
    limitStore,
    ledger,
    outbox,
    orders,
    paymentLists,
    transport,
    feed,
    webhooks,
    payeeResponder,
    refusedPayments,
    passwords,
    issuer,
    close,
  }
}

/** Loads the Redis client only where a store is configured: without it a start is shorter. */
async function sharedWindows(
  url: string,
  db: ServiceDatabase,
  { clock, log }: { clock: Clock; log: Log },
): Promise<SharedWindows> {
  const { windowsInRedis } = await import('../gate/store/redis-windows.ts')
  return windowsInRedis(url, { secret: await recentSecret(db, clock, 'limit'), log })
}
