// The list of all routes. The server mounts no others.
import { accountRoutes } from './accounts/routes.ts'
import { approvalRoutes } from './approvals/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { bankAccountRoutes } from './bank-accounts/routes.ts'
import { authRoutes, factorLoginRoutes } from './auth/routes.ts'
import { beneficiaryRoutes, trustRoutes } from './beneficiaries/routes.ts'
import { blockRoutes } from './blocks/routes.ts'
import { calendarRoutes } from './calendar/routes.ts'
import { cardPaymentRoutes } from './card-payments/routes.ts'
import { chargebackRoutes } from './chargebacks/routes.ts'
import { disputeRoutes } from './disputes/routes.ts'
import { cardRoutes } from './cards/routes.ts'
import { confirmationRoutes } from './confirmations/routes.ts'
import { draftRoutes } from './drafts/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { factorRoutes } from './factors/routes.ts'
import { formerEntryRoutes } from './former-entries/routes.ts'
import { holdRoutes } from './holds/routes.ts'
import { insightRoutes } from './insight/routes.ts'
import { noteRoutes } from './notes/routes.ts'
import { issuerRoutes } from './issuer/logout.ts'
import { limitRoutes } from './limits/routes.ts'
import { memberRoutes } from './members/routes.ts'
import { noticeRoutes } from './notices/routes.ts'
import { paymentRoutes } from './payments/routes.ts'
import { orderRoutes } from './orders/routes.ts'
import { overviewRoutes } from './overview/routes.ts'
import { railRoutes } from './rail/routes.ts'
import { postingRoutes } from './postings/routes.ts'
import type { Route } from '../http/route.ts'
import { paymentListRoutes } from './payment-lists/routes.ts'
import { payeeCheckRoutes } from './payee-checks/routes.ts'
import { serviceAccountRoutes } from './service-accounts/routes.ts'
import { statementRoutes } from './statements/routes.ts'
import { signatureRoutes } from './signatures/routes.ts'
import { systemRoutes } from './system/routes.ts'
import { adminTransferRoutes } from './transfers/admin-routes.ts'
import { historyRoutes } from './transfers/history-routes.ts'
import { transferRoutes } from './transfers/transfer-routes.ts'
import { trialBalanceRoutes } from './trial-balance/routes.ts'
import { resetFactors } from './users/factor-reset.ts'
import { callerRoutes } from './users/caller-routes.ts'
import { userRoutes } from './users/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

export const routes: readonly Route[] = [
  ...systemRoutes,
  ...authRoutes,
  ...factorRoutes,
  ...confirmationRoutes,
  ...issuerRoutes,
  ...userRoutes,
  ...callerRoutes,
  ...serviceAccountRoutes,
  ...accountRoutes,
  ...beneficiaryRoutes,
  ...payeeCheckRoutes,
  ...cardRoutes,
  ...holdRoutes,
  ...cardPaymentRoutes,
  ...chargebackRoutes,
  ...disputeRoutes,
  ...transferRoutes,
  ...paymentRoutes,
  ...noteRoutes,
  ...limitRoutes,
  ...noticeRoutes,
  ...memberRoutes,
  ...calendarRoutes,
  ...orderRoutes,
  ...paymentListRoutes,
  ...signatureRoutes,
  ...draftRoutes,
  ...historyRoutes,
  ...formerEntryRoutes,
  ...insightRoutes,
  ...statementRoutes,
  ...adminTransferRoutes,
  ...railRoutes,
  ...blockRoutes,
  ...approvalRoutes,
  ...auditRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...overviewRoutes,
  ...bankAccountRoutes,
  ...postingRoutes,
  ...trialBalanceRoutes,
]

/** They are not served while the policy of second factors is `off` for everybody. */
export const secondFactorRoutes: ReadonlySet<Route> = new Set([
  ...factorRoutes,
  ...factorLoginRoutes,
  resetFactors,
  ...confirmationRoutes,
  ...trustRoutes,
])
