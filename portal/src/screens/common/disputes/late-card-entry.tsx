// The card payment of an entry, whose parts and texts are loaded once the entry is opened.
import { UserText } from '../../../parts/accounts.tsx'
import { Later } from '../../../parts/later.tsx'
import type { Transaction } from '../../../state/types.ts'
import { loadTexts } from '../../../texts/language.ts'

const load = async () =>
  (await Promise.all([import('./card-entry.tsx'), loadTexts('disputes')]))[0].CardEntry

/** Kinds of entries by which a card payment has taken money. */
const kinds: readonly string[] = ['card', 'clearing', 'takeback']

export const LateCardEntry = ({ entry }: { entry: Transaction }) =>
  kinds.includes(entry.kind) ? <Later load={load} with={{ entry, UserText }} /> : null
