// The payment drafts in the export of a person.
import type { Database } from '../../database/connections/connect.ts'
import { statement } from '../../database/statements/statement.ts'
import { toDraft } from './schemas.ts'
import { draftsByAccount } from './sql.ts'

const rowsPerPage = 500

type Person = { userId: string; accountIds: readonly string[]; at: number }

/** Those of accounts. Who made and signed them is not told. */
async function* draftsOfAccounts(
  db: Database,
  { accountIds, at }: Pick<Person, 'accountIds' | 'at'>,
): AsyncGenerator<object> {
  for (const accountId of accountIds) {
    let after: string | undefined
    do {
      const rows = await draftsByAccount(db, accountId, after, rowsPerPage)
      for (const row of rows) {
        const { madeBy: _, signedBy: __, cancelledBy: ___, ...draft } = toDraft(row, at)
        yield draft
      }
      after = rows.at(-1)?.id
    } while (after !== undefined)
  }
}

/** Payment drafts that a person has made or signed, on whose account ever. */
const listDraftsOf = statement(
  'export_list_drafts_of',
  ['uuid'],
  { id: 'uuid', accountId: 'uuid', madeAt: 'timestamptz?', signedAt: 'timestamptz?' },
  `select d.id, d.account_id as "accountId",
     case when d.maker_id = $1 then d.created_at end as "madeAt", s.signed_at as "signedAt"
   from (
     select id from payment_drafts where maker_id = $1
     union
     select draft_id from draft_signatures where person_id = $1
   ) of_person
   join payment_drafts d on d.id = of_person.id
   left join draft_signatures s on s.draft_id = d.id and s.person_id = $1
   order by d.id`,
)

async function* draftsSignedBy(db: Database, userId: string): AsyncGenerator<object> {
  yield* await db.run(listDraftsOf, [userId])
}

/** By the name of their section. */
export const draftsOfPerson = (db: Database, person: Person) => ({
  drafts: draftsOfAccounts(db, person),
  draftsSigned: draftsSignedBy(db, person.userId),
})
