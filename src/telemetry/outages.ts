// What the operator is told of each cause for which requests are refused as `unavailable`: a line
// when it begins, one when no request met it for a minute, and the page of the runbook.
import type { OutageCause } from '../domain/errors.ts'

export type Outage = { begin: string; end: string; runbook: string }

const page = (heading: string): string => `docs/RUNBOOK.md#${heading}`

/** An instance that closes says so by `draining`, and it does not come back. */
export type ToldCause = Exclude<OutageCause, 'closing'>

export const isTold = (cause: OutageCause | undefined): cause is ToldCause =>
  cause !== undefined && cause !== 'closing'

export const outages = {
  audit: {
    begin: 'requests are refused: the audit trail is full',
    end: 'the audit trail has had room for a minute',
    runbook: page('database-away'),
  },
  capacity: {
    begin: 'requests are refused: all places for their kind are taken',
    end: 'all places for a kind of request were not taken for a minute',
    runbook: page('requests-refused'),
  },
  clock: {
    begin: 'requests are refused: the clock',
    end: 'no request was refused for the clock for a minute',
    runbook: page('database-away'),
  },
  database: {
    begin: 'requests are refused: the database does not answer',
    end: 'the database has answered each request for a minute',
    runbook: page('database-away'),
  },
  disk: {
    begin: 'the disk of the database is full',
    end: 'the disk of the database has room again',
    runbook: page('disk-full'),
  },
  ibans: {
    begin: 'requests are refused: no IBAN is left',
    end: 'no account was refused an IBAN for a minute',
    runbook: page('no-iban-left'),
  },
  'limit-store': {
    begin: 'requests are refused: limits cannot be counted',
    end: 'limits were counted for each request for a minute',
    runbook: page('store-of-limits-away'),
  },
  lock: {
    begin: 'requests are refused: a lock holds them up',
    end: 'no lock has held up a request for a minute',
    runbook: page('lock-held'),
  },
  pool: {
    begin: 'requests are refused: all connections of the pool stay in use',
    end: 'each request had a connection of the pool for a minute',
    runbook: page('requests-refused'),
  },
  queue: {
    begin: 'requests are refused: too many transfers wait',
    end: 'no transfer waited too long for a minute',
    runbook: page('requests-refused'),
  },
  'read-only': {
    begin: 'requests are refused: the database is a standby',
    end: 'no request met a standby for a minute',
    runbook: page('database-away'),
  },
  reads: {
    begin: 'requests are refused: too many reads wait',
    end: 'no read waited too long for a minute',
    runbook: page('requests-refused'),
  },
  schema: {
    begin: 'requests are refused: the schema does not fit this release',
    end: 'the schema has fitted for a minute',
    runbook: page('bad-upgrade'),
  },
  standby: {
    begin: 'requests are refused: no standby confirms a COMMIT',
    end: 'no write was refused for want of a standby for a minute',
    runbook: page('standby-away'),
  },
  timeout: {
    begin: 'requests are refused: their statements take too long',
    end: 'no statement was cut off for a minute',
    runbook: page('requests-refused'),
  },
} as const satisfies Record<ToldCause, Outage>

export const toldCauses = Object.keys(outages) as ToldCause[]
