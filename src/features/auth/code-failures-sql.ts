// Data of the one-time codes that were wrong in a row. All of it is read and written while the
// person is locked (`holdUser`), so no code is judged beside another one.
import { type Db, one, statement } from '../../database/statements/statement.ts'

/** In a row, without a success: the codes after them are refused. */
export const failuresMax = 30
/** However often the password is set anew meanwhile (NIST SP 800-63B 5.2.2: at most 100). */
const totalMax = 100

const findRefused = statement(
  'auth_find_codes_refused',
  ['uuid', 'int4', 'int4', 'int4'],
  { userId: 'uuid' },
  `select user_id as "userId" from code_failures
   where user_id = $1 and (password_version = $2 and count >= $3 or total >= $4)`,
)
type Login = { userId: string; passwordVersion: number | null }
/** Whether the person's codes from elsewhere than a known device are refused. */
export const areCodesRefused = async (tx: Db, { userId, passwordVersion }: Login) =>
  (await one(tx, findRefused, [userId, passwordVersion ?? 0, failuresMax, totalMax])) !== undefined

const countElsewhere = statement(
  'auth_count_wrong_code',
  ['uuid', 'int4'],
  `insert into code_failures as f (user_id, password_version, count, total)
   values ($1, $2, 1, 1)
   on conflict (user_id) do update set
     password_version = excluded.password_version,
     count = case when f.password_version = excluded.password_version
                  then f.count + 1 else 1 end,
     total = f.total + 1`,
)
const countOnDevice = statement(
  'auth_count_wrong_code_on_device',
  ['uuid'],
  'update devices set code_failures = code_failures + 1 where id = $1',
)
/** Counts a wrong code: of a known device, or else of the person. */
export const countWrongCode = (
  tx: Db,
  { userId, passwordVersion }: Login,
  device: { id: string } | undefined,
) =>
  device
    ? tx.run(countOnDevice, [device.id])
    : tx.run(countElsewhere, [userId, passwordVersion ?? 0])

const remove = statement(
  'auth_forget_wrong_codes',
  ['uuid'],
  'delete from code_failures where user_id = $1',
)
export const forgetWrongCodes = (tx: Db, userId: string) => tx.run(remove, [userId])

const restart = statement(
  'auth_restart_wrong_codes',
  ['uuid'],
  'update code_failures set count = 0 where user_id = $1',
)
/** Codes are taken again, but those so far stay in the total. */
export const restartWrongCodes = (tx: Db, userId: string) => tx.run(restart, [userId])
