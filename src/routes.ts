// The list of all routes. Nothing is mounted that is not here.
import type { Route } from './route.ts'

export const routes: readonly Route[] = []
