// Proves the texts of transfers and of their entries, and erases them.
import { hash } from 'node:crypto'
import { type Db, type RowOf, select, sql, statement } from '../../database/statements/statement.ts'
import { joinedLinks, linkColumns, selectLinks, toLinks } from '../proof/links.ts'
import {
  commitTexts,
  entryHash,
  joinTerms,
  joinTexts,
  readAbouts,
  termColumns,
} from '../rules/hash-chain.ts'
import { storedDetailColumns } from '../rules/movement.ts'

/**
 * Transfers with texts, each with both of its entries. An entry in an archive has no hash here: the
 * terms that the archive has left prove its transfer.
 */
const readErasable = statement(
  'erase_read',
  ['uuid[]'],
  {
    ...termColumns,
    ...storedDetailColumns,
    salt: 'text',
    accountId: 'uuid',
    seq: 'int8',
    entryAmount: 'int8?',
    balanceAfter: 'int8?',
    hash: 'text?',
    previousHash: 'text',
    textsInChain: 'bool?',
    archivedTerms: 'text?',
    ...linkColumns,
    ownReference: 'text?',
    ownName: 'text?',
    ownIban: 'text?',
  },
  sql`select ${select(termColumns, 't')}, ${select(storedDetailColumns, 'd')},
     encode(t.salt, 'hex') as salt,
     place.account_id as "accountId", place.seq, e.amount as "entryAmount",
     e.balance_after as "balanceAfter", encode(e.hash, 'hex') as hash,
     coalesce(encode(coalesce(p.hash, g.hash), 'hex'), repeat('0', 64)) as "previousHash",
     e.texts_in_chain as "textsInChain", encode(k.terms, 'hex') as "archivedTerms",
     ${selectLinks}, e.reference as "ownReference",
     e.counterparty_name as "ownName", e.counterparty_iban as "ownIban"
   from transfers t
   cross join lateral (
     values (t.from_account_id, t.from_seq), (t.to_account_id, t.to_seq)
   ) as place (account_id, seq)
   left join entries e on e.account_id = place.account_id and e.seq = place.seq
   left join entries p on p.account_id = e.account_id and p.seq = e.seq - 1
   left join archived_heads g on g.account_id = e.account_id and g.seq = e.seq - 1
   left join archived_terms k on k.transfer_id = t.id
   left join transfer_details d on d.transfer_id = t.id
   ${joinedLinks}
   where t.id = any($1) and t.salt is not null and t.status not in ('pending', 'sent')`,
)

/** Only the owner may run this. Of each transfer there are two rows, one for each entry. */
const eraseTexts = statement(
  'erase_texts',
  ['uuid[]', 'bytea[]', 'uuid[]', 'int8[]', 'bytea[]', 'uuid'],
  { id: 'uuid' },
  `with asked as (
     select id, commitment, account_id, seq, own_commitment
     from unnest($1::uuid[], $2::bytea[], $3::uuid[], $4::int8[], $5::bytea[])
       as e (id, commitment, account_id, seq, own_commitment)
   ), of_entries as (
     update entries e
     set reference = '', counterparty_name = null, counterparty_iban = null,
         commitment = a.own_commitment
     from asked a
     -- Another erasure may have been first: this one waited for it.
     where e.account_id = a.account_id and e.seq = a.seq and e.commitment is null
   )
   update transfers t
   set salt = null, commitment = e.commitment, erasure_id = $6, reference = '',
       counterparty_name = null, counterparty_iban = null
   from (select distinct id, commitment from asked) e
   where t.id = e.id and t.salt is not null
   returning t.id`,
)

type Erasable = RowOf<typeof readErasable.gives>

/** Proves the texts before they are erased: texts that were changed are evidence, and stay. */
export async function erasePage(
  tx: Db,
  ids: readonly string[],
  erasureId: string,
): Promise<number> {
  const rows = await tx.run(readErasable, [[...ids]])
  const proven = rows.map(prove)
  const erased = await tx.run(eraseTexts, [
    rows.map(({ id }) => id),
    proven.map(({ commitment }) => Buffer.from(commitment, 'hex')),
    rows.map(({ accountId }) => accountId),
    rows.map(({ seq }) => seq),
    proven.map(({ own }) => (own === undefined ? null : Buffer.from(own, 'hex'))),
    erasureId,
  ])
  return erased.length
}

/** The commitments to the texts of a transfer, and to those of one of its entries if it has any. */
function prove(row: Erasable): { commitment: string; own: string | undefined } {
  const { salt, ownReference, ownName, ownIban } = row
  const commitment = commitTexts(salt, row, row)
  const terms = joinTerms(row, commitment)
  const texts = {
    reference: ownReference ?? '',
    counterpartyName: ownName,
    counterpartyIban: ownIban,
  }
  const own = row.textsInChain === true ? commitTexts(salt, texts) : undefined
  const about = own === undefined ? terms : joinTexts(terms, own)
  const { entryAmount: amount, balanceAfter } = row
  const isInChain = (each: string): boolean =>
    amount === null || balanceAfter === null
      ? row.archivedTerms === hash('sha256', terms, 'hex')
      : entryHash(row.previousHash, { ...row, amount, balanceAfter }, each) === row.hash
  if (!readAbouts(about, toLinks(row)).some(isInChain)) {
    throw new Error(`Transfer ${row.id} is not what its chain holds; run \`strongroom verify\`.`)
  }
  return { commitment, own }
}
