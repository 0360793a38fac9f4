// Whether a resource is the caller's, or of an account that the caller is a member of, by its
// identifier alone. A resource that is neither and one that does not exist get the same answer, so
// probing reveals nothing.
import type { Lookups } from '../database/connections/lookup.ts'
import { Refusal, refuse } from '../domain/errors.ts'
import type { Resource } from '../domain/ids.ts'
import { isOfBooks, refuseIfArchived } from './archived.ts'
import {
  type ActingMember,
  mayAct,
  type Member,
  type MemberRight,
  type Members,
} from './members.ts'
import {
  type Finder,
  hasMaker,
  type Judged,
  makers,
  type OwnedRow,
  owners,
  payerAccount,
  type RowStatement,
} from './owners.ts'

export type { Judged, RowStatement }

/** An identifier of a request and what it names, in the order path, query, body. */
export type Named = { resource: Resource; id: string }

/** The rows of each identifier. */
export type Owners = readonly (readonly OwnedRow[])[]

/** A service account that pays, by its identifier and the accounts that it may pay from. */
type Program = { userId: string; payFrom: readonly string[] }

/** A person, and what a member needs on the route. */
type Asking = {
  callerId: string
  member?: MemberRight | undefined
  /** A member changes no order and no list that another one has made. */
  isChange?: boolean
}

export type Verdict = {
  /** One of the resources was the caller's and is gone. */
  isGone: boolean
  /** The caller is no owner, and acts as a member. */
  actingMember?: ActingMember
}

export type Ownership = {
  /**
   * Looks up the owners that `judge` needs.
   *
   * @param row reads the first one, in place of the statement that reads its owner alone
   * @param lookup in place of the primary's
   */
  ask(named: readonly Named[], row?: RowStatement, lookup?: Lookups['lookup']): Promise<Owners>
  /**
   * Passes when every resource is the caller's and nested ones lie in the first resource, of those
   * named before them, that is of the kind which contains them. Also when all of them are of one
   * other owner, in the same way, and the caller has the right of the route on each account that
   * holds one. Else refuses with `forbidden`, as of a resource that does not exist.
   *
   * @param found the answer of `ask` for these identifiers
   */
  judge(asking: Asking, named: readonly Named[], found: Owners): Verdict | Promise<Verdict>
  /**
   * Judges a payment of a service account in the same way. The account that is named first, or
   * that has the standing order, payment list or transfer which is, has to be one of `payFrom`; all
   * resources have to be those of its owner, an active customer. A standing order or a payment list
   * has to be one that the service account has made: it does not undo its owner's will.
   */
  judgePayment(program: Program, named: readonly Named[]): Promise<boolean>
  /**
   * The first identifier whose account is one of theirs, or one that they are members of, on either
   * side of a transfer.
   */
  findOwn(callerIds: readonly string[], named: readonly Named[]): Promise<Named | undefined>
}

/** Users and sessions are not accounts: staff may use a staff grant on their own. */
const isOfAccount = ({ resource }: Named): boolean => resource !== 'user' && resource !== 'session'

/** As a transaction, a transfer has a row for each of its two accounts. */
const eitherSide = (resource: Resource): Resource =>
  resource === 'transfer' ? 'transaction' : resource

/** Users and sessions are of no account; nor is a membership, which is of its person. */
const ofNoAccount: readonly Resource[] = ['factor', 'membership', 'session', 'user']

/** The account that holds what the row is of. */
const accountOfRow = (resource: Resource, { id, parentId }: OwnedRow): string | undefined => {
  if (ofNoAccount.includes(resource)) return undefined
  return resource === 'account' ? id : (parentId ?? undefined)
}

/** @param members undefined: no account has any */
export function createOwnership(db: Pick<Lookups, 'lookup'>, members?: Members): Ownership {
  const find = (
    finder: Finder | undefined,
    id: string,
    { lookup }: Pick<Lookups, 'lookup'> = db,
  ): Promise<readonly OwnedRow[]> => (finder ? lookup(finder.find, id) : Promise.resolve([]))

  const findMembers = async (accountIds: Iterable<string>): Promise<readonly Member[]> =>
    (await Promise.all([...accountIds].map((id) => members?.ofAccount(id) ?? []))).flat()

  return {
    ask: (named, row, lookup = db.lookup) =>
      Promise.all(
        named.map(({ resource, id }, index) =>
          row && index === 0 ? lookup(row, id) : find(owners[resource], id, { lookup }),
        ),
      ),

    judge({ callerId, member: right, isChange }, named, found) {
      const judgeAsOwner = (): Verdict | Promise<Verdict> => {
        try {
          return { isGone: judgeOwned(callerId, named, found) }
        } catch (thrown) {
          return refuseOther(db, named, found, thrown)
        }
      }
      if (right === undefined || !members || areOwned(callerId, named, found)) {
        return judgeAsOwner()
      }
      return judgeMember(findMembers, { callerId, right }, named, found).then(async (verdict) => {
        if (!verdict) return judgeAsOwner()
        if (isChange) await requireMade(db, callerId, named, 'callerId')
        return verdict
      })
    },

    async judgePayment({ userId, payFrom }, named) {
      const [source] = named
      const isAccount = source?.resource === 'account'
      const container = source && !isAccount ? await find(owners[source.resource], source.id) : []
      const accountId = isAccount ? source.id : container[0]?.parentId
      if (typeof accountId !== 'string' || !payFrom.includes(accountId)) {
        const target = source && { target: source.id }
        const because = 'an account that is not granted'
        return refuseOther(db, named, [container], new Refusal('forbidden', { because, ...target }))
      }
      await requireMade(db, userId, named, 'makerId')
      const [owned, [payer]] = await Promise.all([
        Promise.all(
          named.map(({ resource, id }) =>
            find(resource === 'account' ? payerAccount : owners[resource], id),
          ),
        ),
        find(payerAccount, accountId),
      ])
      return judgeOwned(payer?.ownerId, named, owned)
    },

    async findOwn(callerIds, named) {
      const isOwn = (row: OwnedRow) => row.ownerId !== null && callerIds.includes(row.ownerId)
      const ofAccounts = named.filter(isOfAccount)
      const rows = await Promise.all(
        ofAccounts.map(({ resource, id }) => find(owners[eitherSide(resource)], id)),
      )
      const own = ofAccounts.find((_, index) => rows[index]?.some(isOwn))
      if (own || !members) return own
      const accountsOf = ({ resource }: Named, index: number) =>
        (rows[index] ?? []).flatMap((row) => accountOfRow(resource, row) ?? [])
      const present = await findMembers(new Set(ofAccounts.flatMap(accountsOf)))
      const acted = new Set(
        present.flatMap(({ personId, accountId }) =>
          callerIds.includes(personId) ? accountId : [],
        ),
      )
      return ofAccounts.find((one, index) => accountsOf(one, index).some((id) => acted.has(id)))
    },
  }
}

/**
 * What an archive may have is refused as that, whether it is another's or not there. For the audit
 * trail alone: what is there is refused because it is forbidden.
 */
async function refuseOther(
  db: Pick<Lookups, 'lookup'>,
  named: readonly Named[],
  found: Owners,
  thrown: unknown,
): Promise<never> {
  const target = thrown instanceof Refusal ? thrown.options.target : undefined
  const index = named.findIndex(({ id }) => id === target)
  const refused = named[index]
  if (target !== undefined && refused && isOfBooks(refused.resource)) {
    const isThere = (found[index] ?? []).length > 0
    await refuseIfArchived(db, target, { ...(isThere && { because: thrown }), target })
  }
  throw thrown
}

/** Another owner's, if the caller may act for that owner on each account. */
async function judgeMember(
  findMembers: (accountIds: Iterable<string>) => Promise<readonly Member[]>,
  { callerId, right }: { callerId: string; right: MemberRight },
  named: readonly Named[],
  found: Owners,
): Promise<Verdict | undefined> {
  const candidates = new Set(found[0]?.flatMap(({ ownerId }) => ownerId ?? []))
  const held = named.flatMap(({ resource }, index) =>
    (found[index] ?? []).flatMap((row) => accountOfRow(resource, row) ?? []),
  )
  // Something is looked up for what does not exist: it takes as long.
  const accountIds = new Set(held.length > 0 ? held : named.slice(0, 1).map(({ id }) => id))
  const present = await findMembers(accountIds)
  for (const ownerId of candidates) {
    const rows = findRows(named, found, (row, resource) => {
      const accountId = accountOfRow(resource, row)
      const acting = accountId !== undefined && { ownerId, accountIds: [accountId], right }
      return row.ownerId === ownerId && acting && mayAct(callerId, acting, present)
    })
    if (rows.some((row) => row === undefined)) continue
    const ofRows = (rows as OwnedRow[]).map((row, index) =>
      accountOfRow((named[index] as Named).resource, row),
    )
    const acting = { ownerId, accountIds: [...new Set(ofRows as string[])], right }
    return { isGone: areGone(rows as OwnedRow[]), actingMember: acting }
  }
  return undefined
}

/** Refuses with `forbidden` an order or a list that another caller has made. */
async function requireMade(
  db: Pick<Lookups, 'lookup'>,
  callerId: string,
  named: readonly Named[],
  by: 'makerId' | 'callerId',
): Promise<void> {
  const made = named.flatMap(({ resource, id }) => (hasMaker(resource) ? [{ resource, id }] : []))
  const found = await Promise.all(made.map(({ resource, id }) => db.lookup(makers[resource], id)))
  const other = made.find((_, index) => found[index]?.[0]?.[by] !== callerId)
  if (other) refuse('forbidden', { because: `another's ${other.resource}`, target: other.id })
}

/** For each identifier a row that is accepted and lies in what contains it. */
function findRows(
  named: readonly Named[],
  found: Owners,
  isAccepted: (row: OwnedRow, resource: Resource) => boolean,
): (OwnedRow | undefined)[] {
  return named.map(({ resource }, index) => {
    const container = owners[resource]?.within
    // What is named later is no container: a change may name an order and its new payee.
    const before = named.slice(0, index)
    const containerId = container && before.find((other) => other.resource === container)?.id
    return found[index]?.find(
      (row) =>
        isAccepted(row, resource) && (containerId === undefined || row.parentId === containerId),
    )
  })
}

const areGone = (rows: readonly OwnedRow[]): boolean => rows.some(({ isGone }) => isGone)

const findOwned = (
  ownerId: string | null | undefined,
  named: readonly Named[],
  found: Owners,
): (OwnedRow | undefined)[] =>
  findRows(named, found, (row) => row.ownerId !== null && row.ownerId === ownerId)

const areOwned = (ownerId: string, named: readonly Named[], found: Owners): boolean =>
  findOwned(ownerId, named, found).every((row) => row !== undefined)

function judgeOwned(
  ownerId: string | null | undefined,
  named: readonly Named[],
  found: Owners,
): boolean {
  // All are checked before any is reported as gone.
  const rows = findOwned(ownerId, named, found).map((own, index) => {
    const { resource, id } = named[index] as Named
    return own ?? refuse('forbidden', { because: `${resource} is not the caller's`, target: id })
  })
  return areGone(rows)
}
