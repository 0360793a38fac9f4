// All inputs of the wire and the wanted answer to each, in the order of the table of raw inputs
// (security.md Appendix A); what is more than bytes has its own test.
import type { Case } from './cases.ts'
import { framing } from './rows-framing.ts'
import { messages } from './rows-messages.ts'
import { targets } from './rows-targets.ts'

export const rows: Record<string, Case[]> = { ...targets, ...framing, ...messages }
