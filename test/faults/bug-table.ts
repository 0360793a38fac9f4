// Defects that are put into the service on purpose, to prove that the storm finds them. Each is a
// change of the product's text as it is loaded: the product itself has no switch for it.
import type { ClusterKind } from '../cluster/stage.ts'
import type { Kind } from './nemesis.ts'

export type Bug = {
  /** What the service does wrong, in words. */
  does: string
  /** Files by their place in `src/`, or from there. */
  changes: { file: string; from: string; to: string }[]
  /** The faults under which it shows. */
  kinds: readonly (Kind | ClusterKind)[]
  /** It shows only on a primary with standbys. */
  isOnCluster?: true
  /** The violation that the judge has to report. */
  found: RegExp
}

const quiet = ['clients hang up'] as const
const crashes = ['stop the database', 'kill a backend'] as const
const losses = ['swallow COMMITs'] as const
const lost = /was acknowledged|answered as 2 transfers|made again on a repeated key/

export const bugs: Record<string, Bug> = {
  'no-lock': {
    does: 'decides without locking the accounts, with nothing behind that notices',
    changes: [
      { file: 'ledger/rows/transfers.ts', from: '   order by id\n   for no key update`', to: '`' },
      {
        file: 'ledger/rows/transfers.ts',
        from: 'to_name, to_iban, true\n     from posted\n   )',
        to: 'to_name, to_iban, true\n     from posted\n     on conflict do nothing\n   )',
      },
    ],
    kinds: quiet,
    found: /holds|verify|held/,
  },
  'no-lock-but-keys': {
    does: 'decides without locking the accounts; the keys of the entries notice',
    changes: [
      { file: 'ledger/rows/transfers.ts', from: '   order by id\n   for no key update`', to: '`' },
    ],
    kinds: quiet,
    found: /500|overdrawn|holds/,
  },
  'forgotten-claim': {
    does: 'does not write down the Idempotency-Key',
    changes: [
      {
        file: 'ledger/batch/post.ts',
        from: 'if (plan.claims.length > 0)',
        to: 'if (plan.claims.length < 0)',
      },
    ],
    kinds: quiet,
    found: /made again on a repeated key|doubled|made twice/,
  },
  'early-answer': {
    does: 'answers before COMMIT is done',
    changes: [
      {
        file: 'ledger/batch/post.ts',
        from: 'await Promise.allSettled([...writes, read, commit])',
        to: `(void Promise.allSettled([...writes, read, commit]),
          [] as PromiseSettledResult<unknown>[])`,
      },
      {
        file: 'ledger/batch/post.ts',
        from: 'const tag = await commit.catch(',
        to: "const tag = await Promise.resolve('COMMIT').catch(",
      },
    ],
    kinds: ['lose COMMITs'],
    // The last alternative: a refusal that was to be kept under its key, and was lost with the
    // COMMIT.
    found: /acknowledged and is lost|answered as 2 transfers|for something else|key says otherwise/,
  },
  'kept-session': {
    does: 'remembers for two seconds that a session was alive',
    changes: [
      {
        file: 'gate/sessions.ts',
        from: 'const [row] = await db.lookup(readSessions, sessionId)',
        to: `const kept = ((globalThis as any).kept ??= new Map())
    if (!kept.has(sessionId)) {
      kept.set(sessionId, await db.lookup(readSessions, sessionId))
      setTimeout(() => kept.delete(sessionId), 2000).unref()
    }
    const [row] = kept.get(sessionId)`,
      },
    ],
    kinds: quiet,
    found: /was answered 2\d\d with session/,
  },
  'late-logout': {
    does: 'answers a logout before it is written down',
    changes: [
      {
        file: 'features/auth/routes.ts',
        from: `await transaction(db, async (tx) => {
      await endSession(tx, caller.sessionId, 'logout', now)
      await record(tx, { target: caller.sessionId })
    })`,
        to: `void transaction(db, async (tx) => {
      await endSession(tx, caller.sessionId, 'logout', now)
      await record(tx, { target: caller.sessionId })
    }).catch(() => {})`,
      },
    ],
    kinds: ['slow wire'],
    found: /was answered 2\d\d with session|is alive again|was over and is answered/,
  },
  'blind-repeat': {
    does: 'takes a COMMIT whose answer was lost for undone, and does it over',
    changes: [
      {
        file: 'ledger/batch/batch.ts',
        from: 'const found = await resolveInDoubt(db, plan)',
        to: "const found = 'absent' as 'absent' | 'unknown' | 'committed'",
      },
    ],
    kinds: losses,
    found: /refused and took effect|doubled|made twice/,
  },
  'blind-trust': {
    does: 'takes a COMMIT whose answer was lost for done',
    changes: [
      {
        file: 'ledger/batch/batch.ts',
        from: 'const found = await resolveInDoubt(db, plan)',
        to: "const found = 'committed' as 'absent' | 'unknown' | 'committed'",
      },
    ],
    kinds: crashes,
    found: /acknowledged and is lost|answered as 2 transfers|stands for something else/,
  },
  'false-denial': {
    does: 'says of an unknown outcome that there was no effect',
    changes: [
      {
        file: 'ledger/batch/batch.ts',
        from: "const unknown = new Refusal('outcome_unknown', { because: cause })",
        to: "const unknown = new Refusal('unavailable', { because: cause })",
      },
      {
        file: 'ledger/batch/batch.ts',
        from: 'const found = await resolveInDoubt(db, plan)',
        to: "const found = 'unknown' as 'absent' | 'unknown' | 'committed'",
      },
    ],
    kinds: losses,
    found: /refused and took effect/,
  },
  'deaf-to-freezes': {
    does: 'does not look at the freeze of an account inside the transaction',
    changes: [
      {
        file: 'ledger/rules/decide.ts',
        from: "from.status === 'frozen' && !isForced(kind)",
        to: "from.status === 'frozen' && kind === 'fee'",
      },
    ],
    kinds: quiet,
    found: /account frozen|frozen account/,
  },
  'refused-but-done': {
    does: 'refuses a payment from a frozen account, and makes it all the same',
    changes: [
      {
        file: 'ledger/batch/plan.ts',
        from: '    return refused(code, limit)\n',
        to: `    if (movement.kind === 'transfer' && code === 'account_frozen') {
      if (place.from.balance > movement.amount) {
        addRows(bookTransfer(movement, place, newId(place.at)), batch)
      }
    }
    return refused(code, limit)\n`,
      },
      {
        file: 'ledger/batch/plan.ts',
        from: "import { planBooking } from './plan-booking.ts'",
        to: `import { bookTransfer } from './book.ts'
import { planBooking } from './plan-booking.ts'`,
      },
    ],
    kinds: quiet,
    found: /refused and took effect/,
  },
  'half-a-posting': {
    does: 'debits one account and forgets to credit the other',
    changes: [
      {
        file: 'ledger/batch/plan.ts',
        from: 'for (const left of rows.accounts ?? []) {',
        to: 'for (const left of rows.accounts?.slice(0, 1) ?? []) {',
      },
    ],
    kinds: quiet,
    found: /holds|held|500/,
  },
  'forgotten-line': {
    does: 'pays the lines of a list, and does not write down that it did',
    changes: [
      {
        file: 'ledger/batch/post.ts',
        from: 'if (plan.lines.length > 0)',
        to: 'if (plan.lines.length < 0)',
      },
    ],
    kinds: quiet,
    found: /was paid \d+ times, and says/,
  },
  'forgotten-number': {
    does: 'does not write down the external identifier of what a rail delivers',
    changes: [
      {
        file: 'ledger/batch/post.ts',
        from: 'if (plan.externals.length > 0)',
        to: 'if (plan.externals.length < 0)',
      },
    ],
    kinds: quiet,
    found: /a rail, ended with 1: .*contradicts itself/,
  },
  'lost-return': {
    does: 'answers the return of a payment that has arrived, and does not book it',
    changes: [
      {
        file: 'features/rail/outgoing.ts',
        from: '    const details = { endToEndId: null, bic: null, reasonCode, original: null }',
        to: `    if (original.status === 'completed') {
      return answerAs({ ...original, status: 'returned' }, { isReplayed: false }, service)
    }
    const details = { endToEndId: null, bic: null, reasonCode, original: null }`,
      },
    ],
    kinds: quiet,
    found: /The clearing account holds|is completed, and not returned/,
  },
  'renumbering-rail': {
    does: 'is a rail that delivers a payment a second time under a new external identifier',
    changes: [
      {
        file: '../client/cli/rail.ts',
        from: '  await deliverNumbered(side, externalId, create, refusals)',
        to: `  if (externalId.endsWith('3')) {
    const twice = { ...body, externalId: \`\${externalId} again\` }
    await admin.incomingPayments.create(twice, { signal }).catch(() => {})
  }
  await deliverNumbered(side, externalId, create, refusals)`,
      },
    ],
    kinds: quiet,
    found: /The clearing account holds/,
  },
  'forgotten-refund': {
    does: 'forgets what was refunded of a card payment before',
    changes: [
      {
        file: 'ledger/rules/decide.ts',
        from: '(hold?.captured ?? 0n) - (payment?.refunded ?? 0n)',
        to: '(hold?.captured ?? 0n)',
      },
    ],
    kinds: quiet,
    found: /a processor, ended with 1: .*refunded for too much|What came back of it/i,
  },
  'kept-credit': {
    does: 'answers that a chargeback is lost, and leaves the credit there',
    changes: [
      {
        file: 'features/chargebacks/routes.ts',
        from: '  const { paymentId } = await chargebackById(db, params.id)\n  const credit',
        to: `  const row = await chargebackById(db, params.id)
  const { paymentId } = row
  if (outcome === 'lost') return toChargeback({ ...row, status: outcome, takenBackBy: row.id })
  const credit`,
      },
    ],
    kinds: quiet,
    found: /The clearing account holds|things are booked/,
  },
  'unheard-warning': {
    does: 'looks at the tag of COMMIT and not at the warning before it',
    changes: [
      {
        file: 'database/connections/commit.ts',
        from: "if (warnings[0] && tag === 'COMMIT') throw warnings[0]",
        to: '',
      },
    ],
    kinds: ['fail over after cancelled waits'],
    isOnCluster: true,
    found: lost,
  },
  'no-barrier': {
    does: 'finds out an unknown outcome from books that no standby may have',
    changes: [
      {
        file: 'ledger/batch/in-doubt.ts',
        from: "tx.run(awaitStandby, []),\n    tx.command('commit'),",
        to: "undefined, tx.command('rollback'),",
      },
      {
        file: 'ledger/batch/in-doubt.ts',
        from: "if (tag !== 'COMMIT')",
        to: "if (tag !== 'ROLLBACK')",
      },
    ],
    kinds: ['fail over after ended waits'],
    isOnCluster: true,
    found: lost,
  },
}
