// Payments as staff look them up, once what is looked up by is written.
import { openDatabase } from '../../src/database/connections/connect.ts'
import { transaction } from '../../src/database/connections/transaction.ts'
import { utcDays } from '../../src/domain/days.ts'
import { indexingPayments } from '../../src/features/payments/indexing.ts'
import type { ApiClient, World } from './world.ts'

/** Writes all that the search needs of what was done so far. */
export async function indexAll({ address, running, clock }: World): Promise<void> {
  const { core } = running
  await core.feed.last()
  await core.refusedPayments.flush()
  const db = openDatabase(address)
  const batch = indexingPayments(() => utcDays)
  while (await transaction(db, (tx) => batch(tx, clock.now())));
  await db.close()
}

type Item = Record<'transfer' | 'cardPayment' | 'hold' | 'refused', { id: string } | undefined>

/** What a look shows, each as its kind and identifier. */
export async function lookUp(
  client: Pick<ApiClient, 'get'>,
  query: Record<string, string>,
): Promise<string[]> {
  const asked = new URLSearchParams(query).toString()
  const { status, body, text } = await client.get(`/api/v1/admin/payments?${asked}`)
  if (status !== 200) return [`${status} ${text}`]
  return (body.items as Item[]).map(({ transfer, cardPayment, hold, refused }) => {
    const [kind, found] = Object.entries({ transfer, cardPayment, hold, refused }).find(
      ([, each]) => each !== undefined,
    ) ?? ['', undefined]
    return `${kind} ${found?.id}`
  })
}
