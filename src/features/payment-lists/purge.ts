// Cancels lists that were checked and never ordered.
import type { PurgeBatch } from '../../database/background/purge.ts'
import { dayMs } from '../../domain/clock.ts'
import { cancelForgottenLists } from './sql.ts'

/** From then on a list that was not ordered is cancelled, and is no more ordered. */
export const checkedKeptMs = 30 * dayMs

export const purgeLists: PurgeBatch = async (db, now) =>
  (await cancelForgottenLists(db, now, now - checkedKeptMs)).length > 0
