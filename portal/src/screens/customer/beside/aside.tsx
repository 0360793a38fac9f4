// What stands beside entries: the month of an account, and what orders come to next.
import { useRead } from '../../../calls/call.ts'
import type { Account, UpcomingRun, UpcomingRuns } from '../../../state/types.ts'
import { Coming } from './coming.tsx'
import { Month } from './month.tsx'

type Props = {
  /** Whose month it is. */
  of: Account
  /** Its name is told where others are there as well. */
  hasName?: boolean
  accounts: readonly Account[]
  /** What is coming on all accounts; left out: on this one. */
  coming?: { runs: readonly UpcomingRun[] | undefined }
}

export function Aside({ of: account, hasName = false, accounts, coming }: Props) {
  const own = useRead<UpcomingRuns>(coming ? undefined : `/accounts/${account.id}/orders/upcoming`)
  return (
    <>
      <Month of={account} hasName={hasName} />
      <Coming
        of={(coming ?? own.data)?.runs ?? []}
        accounts={accounts}
        only={coming ? undefined : account}
      />
    </>
  )
}
