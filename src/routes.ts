// The list of all routes. Nothing is mounted that is not here.
import { authRoutes } from './auth/routes.ts'
import type { Route } from './route.ts'
import { systemRoutes } from './system/routes.ts'

export const routes: readonly Route[] = [...systemRoutes, ...authRoutes]
