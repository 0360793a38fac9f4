// The customers whom this person looked at last, in this tab alone. A sign-out, and the sign-in of
// somebody else, empty the storage of the session.
type Seen = { id: string; name: string }

const key = 'strongroom.last-customers'
const keptMax = 5

export const lastCustomers = (): readonly Seen[] =>
  JSON.parse(sessionStorage.getItem(key) ?? '[]') as Seen[]

export function keepCustomer(seen: Seen): void {
  const others = lastCustomers().filter(({ id }) => id !== seen.id)
  sessionStorage.setItem(key, JSON.stringify([seen, ...others].slice(0, keptMax)))
}
