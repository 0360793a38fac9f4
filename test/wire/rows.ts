// All invalid requests and the answer to each.
import type { Case } from './cases.ts'
import { framing } from './rows-framing.ts'
import { messages } from './rows-messages.ts'
import { targets } from './rows-targets.ts'

export const rows: Record<string, Case[]> = { ...targets, ...framing, ...messages }
