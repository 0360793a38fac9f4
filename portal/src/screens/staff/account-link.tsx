import { groupIban } from '../../parts/basic.tsx'
import { to } from '../../state/paths.ts'
import type { Account } from '../../state/types.ts'

/** The IBAN of an account, leading to what staff see of it. */
export const AccountLink = ({
  account: { id, iban },
}: {
  account: Pick<Account, 'id' | 'iban'>
}) => (
  <a class="code" href={to('staffAccount', { accountId: id })}>
    {groupIban(iban)}
  </a>
)
