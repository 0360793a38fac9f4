// Whether a resource is the caller's, by identifier alone. One answer for "not yours" and "not
// there", so nothing can be learnt by asking.
import { owners } from './owners.ts'
import type { Lookups } from '../database/lookup.ts'
import { refuse } from '../domain/errors.ts'
import type { Resource } from '../domain/ids.ts'

/** An identifier of a request and what it names, in the order path, query, body. */
export type Named = { resource: Resource; id: string }

export type Ownership = {
  /**
   * Passes when every resource is the caller's and nested ones lie in the first named resource of
   * the kind that contains them. Refuses with `forbidden` when one is not the caller's or is not
   * there at all. True when one was the caller's and is gone.
   */
  require(callerId: string, named: readonly Named[]): Promise<boolean>
  /** The first identifier whose account is the caller's, on either side of a transfer. */
  findOwn(callerId: string, named: readonly Named[]): Promise<Named | undefined>
}

/** People and their sessions are no accounts: a staff grant may be used on oneself there. */
const isOfAccount = ({ resource }: Named): boolean => resource !== 'user' && resource !== 'session'

/** Under this name a transfer has a row for each of its two accounts. */
const eitherSide = (resource: Resource): Resource =>
  resource === 'transfer' ? 'transaction' : resource

export function createOwnership(db: Pick<Lookups, 'lookup'>): Ownership {
  const find = async (resource: Resource, id: string) => {
    const statement = owners[resource]?.find
    return statement ? db.lookup(statement, id) : []
  }

  return {
    async findOwn(callerId, named) {
      const ofAccounts = named.filter(isOfAccount)
      const found = await Promise.all(
        ofAccounts.map(({ resource, id }) => find(eitherSide(resource), id)),
      )
      return ofAccounts.find((_, index) => found[index]?.some((row) => row.owner_id === callerId))
    },

    async require(callerId, named) {
      const found = await Promise.all(named.map(({ resource, id }) => find(resource, id)))
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
      return owned.some((row) => row.is_gone)
    },
  }
}
