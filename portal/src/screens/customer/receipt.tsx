// A payment that was made: what to keep, to print, or to make again.
import { useActedAccount } from '../../calls/own-accounts.ts'
import { accountPage } from '../../parts/accounts.tsx'
import { ButtonLink, Loaded, Notice, Screen } from '../../parts/basic.tsx'
import { Menu } from '../../parts/menu.tsx'
import { readTogether, useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { readQuery } from '../../state/router.ts'
import type { Account, Transaction, Transfer } from '../../state/types.ts'
import { ReceiptFile } from '../common/receipt-file.tsx'
import { Facets } from './entry.tsx'
import { PrintButton } from './print.tsx'

type DetailsProps = {
  transfer: Transfer
  account: ReturnType<typeof useActedAccount>
  again: () => void
}

function Details({ transfer, account, again }: DetailsProps) {
  const { id, fromAccountId } = transfer
  const entry = useRead<Transaction>(`/accounts/${fromAccountId}/transactions/${id}`)
  return (
    <Loaded of={readTogether({ account, entry })} lines={8}>
      {({ account: own, ...shown }) => (
        <Facets {...own} {...shown} transfer={transfer} again={again} />
      )}
    </Loaded>
  )
}

type ActionsProps = { transfer: Transfer; account: Account | undefined }

/** The next step, and folded what else can be done; a member only what the right allows. */
function Actions({ transfer: { id, fromAccountId }, account }: ActionsProps) {
  const t = texts()
  const again = `${to('transfer')}?from=${fromAccountId}&again=${id}`
  const mayPay = !account?.membership || account.membership.rights === 'pay'
  return (
    <>
      <ButtonLink href={accountPage(account ?? { id: fromAccountId })} kind="primary">
        {t.transfer.toAccount}
      </ButtonLink>
      <ReceiptFile transferId={id} />
      <Menu>
        <PrintButton />
        {mayPay && <ButtonLink href={again}>{t.paymentState.again}</ButtonLink>}
        {!account?.membership && (
          <ButtonLink href={`${again}&when=monthly`}>{t.paymentState.monthly}</ButtonLink>
        )}
        <ButtonLink href={to('transfer')}>{t.transfer.another}</ButtonLink>
      </Menu>
    </>
  )
}

export function Receipt({ parameters }: { parameters: Record<string, string> }) {
  const t = texts().transfer
  const transfer = useRead<Transfer>(`/transfers/${parameters['transferId']}`)
  const account = useActedAccount(transfer.data?.fromAccountId)
  const how = (['made', 'checked', 'duplicate'] as const).find((name) => readQuery().has(name))
  const isMadeElsewhere = how === 'made' && transfer.data?.status === 'pending'
  return (
    <Screen
      title={t.receipt}
      actions={
        transfer.data && <Actions transfer={transfer.data} account={account.data?.account} />
      }
    >
      {how && transfer.data && transfer.data.status !== 'cancelled' && (
        <Notice kind={how === 'duplicate' ? 'warning' : 'good'}>
          {t.told[isMadeElsewhere ? 'onItsWay' : how]}
        </Notice>
      )}
      <Loaded of={transfer} lines={8}>
        {(data) => <Details transfer={data} account={account} again={transfer.again} />}
      </Loaded>
    </Screen>
  )
}
