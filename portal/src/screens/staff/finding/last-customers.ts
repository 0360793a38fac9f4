// The customers whom this person looked at last, in this tab alone: a sign-out forgets them.
import { readDraft, storeDraft } from '../../../state/draft.ts'

type Seen = { id: string; name: string }

const name = 'last-customers'
const keptMax = 5

export const lastCustomers = (): readonly Seen[] => (readDraft(name) as Seen[] | undefined) ?? []

export const keepCustomer = (seen: Seen): void =>
  storeDraft(name, [seen, ...lastCustomers().filter(({ id }) => id !== seen.id)].slice(0, keptMax))
