// What the API answers, as the service's own schemas say it. Types only: no code of the service is
// in the page.
import type { Static } from 'typebox'
import type * as accounts from '../../src/features/accounts/schemas.ts'
import type * as audit from '../../src/features/audit/routes.ts'
import type * as balances from '../../src/features/statements/balance-routes.ts'
import type * as beneficiaries from '../../src/features/beneficiaries/schemas.ts'
import type * as cards from '../../src/features/cards/schemas.ts'
import type * as overview from '../../src/features/overview/routes.ts'
import type * as sessions from '../../src/features/auth/session-list.ts'
import type * as transfers from '../../src/features/transfers/schemas.ts'
import type * as users from '../../src/features/users/schemas.ts'

export type { Code } from '../../src/domain/errors.ts'
export type { Role } from '../../src/gate/roles.ts'

/** A page of a list. */
export type List<I> = { items: I[]; nextCursor: string | null }

export type Account = Static<typeof accounts.Account>
export type AccountDetails = Static<typeof accounts.Details>
export type AccountSettings = Static<typeof accounts.Settings>
export type AccountBalances = Static<typeof balances.Balances>
export type AuditEvent = Static<typeof audit.AuditEvent>
export type Beneficiary = Static<typeof beneficiaries.Beneficiary>
export type Card = Static<typeof cards.Card>
/** An entry of any of one's own accounts. */
export type OwnTransaction = Transaction & { accountId: string }
export type Overview = Static<typeof overview.Overview>
export type OwnSession = Static<typeof sessions.OwnSession>
export type Transaction = Static<typeof transfers.Transaction>
export type Transfer = Static<typeof transfers.Transfer>
export type User = Static<typeof users.User>
export type UserSession = Static<typeof sessions.Session>
