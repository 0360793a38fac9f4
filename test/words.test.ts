// The closed words of the code are those that the database takes: a new one needs a migration.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outcomes } from '../src/audit/sql.ts'
import { checkResults } from '../src/domain/payee-name.ts'
import { importedKinds } from '../src/cli/import/tables.ts'
import { holidayKinds, holidayRules } from '../src/domain/calendar/business-days.ts'
import { rhythms } from '../src/domain/calendar/rhythm.ts'
import { statuses as ofAccounts } from '../src/features/accounts/sql.ts'
import { statuses as ofBeneficiaries } from '../src/features/beneficiaries/sql.ts'
import { statuses as ofCards } from '../src/features/cards/sql.ts'
import { factorKinds } from '../src/features/factors/sql.ts'
import { chosenKinds, disputeSteps, mailKinds } from '../src/features/mail/kinds.ts'
import { channels as noticeChannels } from '../src/features/notices/sql.ts'
import * as orders from '../src/features/orders/sql.ts'
import * as lists from '../src/features/payment-lists/sql.ts'
import { statuses as ofServiceAccounts } from '../src/features/service-accounts/sql.ts'
import { statuses as ofUsers } from '../src/features/users/sql.ts'
import { statuses as ofWebhooks } from '../src/features/webhooks/sql.ts'
import { approvalStatuses } from '../src/gate/waiting-approval.ts'
import { channels, declineReasons } from '../src/ledger/rules/authorizations.ts'
import { blockCauses } from '../src/ledger/rules/blocks.ts'
import { holdKinds, holdStatuses } from '../src/ledger/rules/holds.ts'
import { bankCodes } from '../src/ledger/rules/internal-accounts.ts'
import { enders, memberRights } from '../src/gate/members.ts'
import { madeKinds } from '../src/ledger/rows/made-resources.ts'
import { listForms } from '../src/ledger/rules/list-digest.ts'
import { kinds, statuses } from '../src/ledger/rules/movement.ts'
import { draftStatuses } from '../src/features/drafts/sql.ts'
import { archiveStates } from '../src/ledger/archive/state-sql.ts'
import { chargebackStatuses } from '../src/features/chargebacks/sql.ts'
import { disputeReasons } from '../src/features/disputes/sql.ts'
import { bank } from './support/bank.ts'

/** By column, the words of the code. */
const words: Record<string, readonly string[]> = {
  'account_blocks.cause': blockCauses,
  'account_members.ended_by': enders,
  'account_members.rights': memberRights,
  'accounts.kind': ['customer', ...bankCodes, 'further'],
  'accounts.status': ofAccounts,
  // A request expires by its time.
  'approvals.status': approvalStatuses.filter((status) => status !== 'expired'),
  'archives.state': archiveStates,
  'audit_events.outcome': outcomes,
  'beneficiaries.payee_result': checkResults,
  // A deleted one is read by nobody.
  'beneficiaries.status': [...ofBeneficiaries, 'deleted'],
  'bank_calendars.holidays': holidayKinds,
  'card_authorizations.channel': channels,
  'card_authorizations.reason': declineReasons,
  'card_disputes.reason': disputeReasons,
  'cards.frozen_by': ['customer', 'admin'],
  'cards.status': ofCards,
  'chargeback_ends.outcome': chargebackStatuses.filter((status) => status !== 'open'),
  'challenges.purpose': ['login', 'passkey-login', 'enrolment', 'confirmation'],
  'entries.kind': [...kinds, 'settlement', 'sending'],
  'factors.kind': factorKinds,
  'holds.kind': holdKinds,
  'holds.status': holdStatuses,
  'imported.kind': Object.values(importedKinds),
  'made_resources.kind': madeKinds,
  'mails.dispute_step': disputeSteps,
  'mails.kind': mailKinds,
  'notice_choices.channel': noticeChannels,
  'notice_choices.kind': chosenKinds,
  'payee_checks.result': checkResults,
  'payment_drafts.payee_result': checkResults,
  'payment_drafts.status': draftStatuses,
  'payment_list_lines.outcome': lists.lineOutcomes,
  'payment_lists.form': listForms,
  'payment_lists.status': lists.listStatuses,
  'service_accounts.status': ofServiceAccounts,
  // Sessions of earlier releases ended for the other two.
  'sessions.ended_because': ['logout', 'revoked', 'reuse', 'expired', 'replaced'],
  'standing_order_runs.on_holiday': holidayRules,
  'standing_order_runs.outcome': orders.outcomes,
  'standing_orders.on_holiday': holidayRules,
  'standing_orders.payee_result': checkResults,
  'standing_orders.paused_because': orders.pauseReasons,
  'standing_orders.rhythm': rhythms,
  'standing_orders.status': orders.statuses,
  'transfers.kind': kinds,
  'transfers.status': statuses,
  'users.status': ofUsers,
  'webhooks.disabled_because': ['administrator', 'gone', 'failing'],
  'webhooks.status': ofWebhooks,
}

test('the database takes the closed words of the code, and no others', async (t) => {
  const { sql } = await bank(t)
  const checks = await sql(
    `select conrelid::regclass::text as name, pg_get_constraintdef(oid) as rule
     from pg_constraint where contype = 'c' and conrelid <> 0 and conrelid not in (
       select inhrelid from pg_inherits)`,
  )
  const found = (checks as unknown as { name: string; rule: string }[]).flatMap(
    ({ name, rule }) => {
      const [, column, list = ''] =
        /^CHECK \(\((\w+) = ANY \(ARRAY\[('.+')[^[\]]*\]\)\)\)/.exec(rule) ?? []
      const taken = [...list.matchAll(/'([\w.-]+)'/g)].map(([, word = '']) => word)
      return column ? [[`${name}.${column}`, taken.toSorted()] as const] : []
    },
  )
  const expected = Object.entries(words).map(([column, known]) => [column, known.toSorted()])
  assert.deepEqual(Object.fromEntries(found), Object.fromEntries(expected))
})
