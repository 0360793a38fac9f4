// Standing orders of people who act on an account of another customer.
import { type Db, statement } from '../../database/statements/statement.ts'
import { keepChange, type OrderChanger } from './changes-sql.ts'
import { changeOrder, orderById } from './sql.ts'

const findOrdered = statement(
  'orders_find_of_member',
  ['uuid', 'uuid'],
  { id: 'uuid' },
  `select id from standing_orders
   where account_id = $1 and caller_id = $2 and not is_program and status = 'active' order by id`,
)

/** Pauses what the member has ordered, behind the lock of the account. Gives how many. */
export async function pauseOrdersOfMember(
  tx: Db,
  { accountId, personId }: { accountId: string; personId: string },
  changer: OrderChanger,
): Promise<number> {
  const found = await tx.run(findOrdered, [accountId, personId])
  for (const { id } of found) {
    const row = await orderById(tx, id)
    await changeOrder(tx, { ...row, status: 'paused', pausedBecause: 'member' })
    await keepChange(tx, id, changer)
  }
  return found.length
}
