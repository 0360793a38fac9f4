// What a password is checked against.
import { type Db, one, select, sql, statement } from '../../database/statements/statement.ts'

export const credentials = {
  username: 'text',
  passwordHash: 'text?',
  passwordVersion: 'int4',
} as const

const findCredentials = statement(
  'credentials_find',
  ['uuid'],
  credentials,
  sql`select ${select(credentials)} from users where id = $1`,
)
export const credentialsByUser = (db: Db, userId: string) => one(db, findCredentials, [userId])
