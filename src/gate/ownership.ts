// Whether a resource is the caller's, by identifier alone. One answer for "not yours" and "not
// there", so nothing can be learnt by asking.
import { owners } from '../database/owners.ts'
import type { Lookups } from '../database/lookup.ts'
import { refuse } from '../errors.ts'
import type { Resource } from '../ids.ts'

/** An identifier of a request and what it names, in the order path, query, body. */
export type Named = { resource: Resource; id: string }

export type Ownership = {
  /**
   * Passes when every resource is the caller's and nested ones lie in the first named resource of
   * the kind that contains them. Refuses with `forbidden` when one is not the caller's or is not
   * there at all, and with `not_found` when it was the caller's and is gone.
   */
  require(callerId: string, named: readonly Named[]): Promise<void>
}

export function ownershipOf(db: Pick<Lookups, 'lookup'>): Ownership {
  return {
    async require(callerId, named) {
      const found = await Promise.all(
        named.map(async ({ resource, id }) => {
          const find = owners[resource]?.find
          return find ? db.lookup(find, id) : []
        }),
      )
      // Every refusal of a stranger's comes before any word on what is gone.
      const owned = named.map(({ resource, id }, index) => {
        const container = owners[resource]?.within
        const containerId = named.find((other) => other.resource === container)?.id
        const own = found[index]?.find(
          (row) =>
            row.owner_id === callerId &&
            (containerId === undefined || row.parent_id === containerId),
        )
        return (
          own ?? refuse('forbidden', { because: `${resource} is not the caller's`, target: id })
        )
      })
      if (owned.some((row) => row.is_gone)) refuse('not_found', { because: 'gone' })
    },
  }
}
