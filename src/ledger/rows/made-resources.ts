// People, accounts and blocks by who made them. Under a number of its caller's each is in
// `external_ids`, as a movement is.
import { insertInto } from '../../database/statements/rows.ts'
import {
  type Db,
  type Fragment,
  fragment,
  one,
  sql,
  statement,
  wordOf,
} from '../../database/statements/statement.ts'

export const madeKinds = ['user', 'account', 'block'] as const

const made = {
  id: 'uuid',
  kind: wordOf(madeKinds),
  callerId: 'uuid',
  salt: 'bytea?',
} as const
export type MadeResource = {
  id: string
  kind: (typeof madeKinds)[number]
  callerId: string
  /** What has a number has one: SHA-256 over personal data alone could be guessed. */
  salt: Buffer | null
}

const insertMade = insertInto('made_resources_insert', 'made_resources', made)
export const addMade = (tx: Db, row: MadeResource) => insertMade(tx, row)

const readSalt = statement(
  'made_resources_read_salt',
  ['uuid', 'text'],
  { salt: 'text?' },
  `select encode(salt, 'hex') as salt from made_resources where id = $1 and kind = $2`,
)
/** Undefined: it is no such resource. Null: it has no number, or its person is erased. */
export const saltOf = async (tx: Db, id: string, kind: MadeResource['kind']) =>
  (await one(tx, readSalt, [id, kind]))?.salt

/**
 * How the caller who made it numbered a resource; null: not at all.
 *
 * @param id the column of its identifier
 */
export const externalIdOf = (id: Fragment) => fragment`(
     select x.external_id from external_ids x where x.transfer_id = ${id}
   ) as "externalId"`

/**
 * Whether a resource has an external identifier, of one caller or, if that is null, of any.
 *
 * @param externalId and `callerId`: their parameters, such as `$1`
 */
export const isNumberedBy = (externalId: Fragment, callerId: Fragment): string =>
  sql`id = any(array(
     select x.transfer_id from external_ids x
     where x.external_id = ${externalId}
       and (${callerId}::uuid is null or x.caller_id = ${callerId})
   ))`

const vouch = statement(
  'made_resources_vouch',
  ['uuid'],
  {},
  'update made_resources set is_vouched = true where id = $1 and not is_vouched',
)
/** From now on the person is invited by the bank, whatever becomes of the program. */
export const vouchFor = (tx: Db, userId: string) => tx.run(vouch, [userId])

/**
 * Whether `u`, a person, may set a first password: none may whom only a program has invited that
 * may not invite now.
 */
export const isInvited = fragment`(u.password_hash is not null or not exists (
     select from made_resources m join service_accounts s on s.id = m.caller_id
     where m.id = u.id and not m.is_vouched
       and (s.status <> 'active' or 'createUser' <> all (s.operations))
   ))`
