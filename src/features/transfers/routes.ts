// All endpoints of the ledger.
import { adminRoutes } from './admin-routes.ts'
import { historyRoutes } from './history-routes.ts'
import { statementRoutes } from '../statements/routes.ts'
import { transferRoutes } from './transfer-routes.ts'

export const ledgerRoutes = [
  ...transferRoutes,
  ...historyRoutes,
  ...statementRoutes,
  ...adminRoutes,
]
