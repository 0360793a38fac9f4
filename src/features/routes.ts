// The list of all routes. The server mounts no others.
import { accountRoutes } from './accounts/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { authRoutes } from './auth/routes.ts'
import { beneficiaryRoutes } from './beneficiaries/routes.ts'
import { cardRoutes } from './cards/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { ledgerRoutes } from './transfers/routes.ts'
import { overviewRoutes } from './overview/routes.ts'
import type { Route } from '../http/route.ts'
import { serviceAccountRoutes } from './service-accounts/routes.ts'
import { systemRoutes } from './system/routes.ts'
import { userRoutes } from './users/routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

export const routes: readonly Route[] = [
  ...systemRoutes,
  ...authRoutes,
  ...userRoutes,
  ...serviceAccountRoutes,
  ...accountRoutes,
  ...beneficiaryRoutes,
  ...cardRoutes,
  ...ledgerRoutes,
  ...auditRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...overviewRoutes,
]
