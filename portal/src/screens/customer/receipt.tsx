// A payment that was made: what to keep, to print, or to make again.
import { useAccount } from '../../calls/own-accounts.ts'
import { ButtonLink, Loaded, Notice, Screen } from '../../parts/basic.tsx'
import { readTogether, useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { readQuery } from '../../state/router.ts'
import type { Transaction, Transfer } from '../../state/types.ts'
import { ReceiptFile } from '../common/receipt-file.tsx'
import { Facets } from './entry.tsx'
import { PrintButton } from './print.tsx'

function Details({ transfer, again }: { transfer: Transfer; again: () => void }) {
  const { id, fromAccountId } = transfer
  const account = useAccount(fromAccountId)
  const entry = useRead<Transaction>(`/accounts/${fromAccountId}/transactions/${id}`)
  return (
    <Loaded of={readTogether({ account, entry })} lines={8}>
      {({ account: own, ...shown }) => (
        <Facets {...own} {...shown} transfer={transfer} again={again} />
      )}
    </Loaded>
  )
}

export function Receipt({ parameters }: { parameters: Record<string, string> }) {
  const t = texts().transfer
  const transfer = useRead<Transfer>(`/transfers/${parameters['transferId']}`)
  const how = (['made', 'checked', 'duplicate'] as const).find((name) => readQuery().has(name))
  const isMadeElsewhere = how === 'made' && transfer.data?.status === 'pending'
  return (
    <Screen title={t.receipt}>
      {how && transfer.data && transfer.data.status !== 'cancelled' && (
        <Notice kind={how === 'duplicate' ? 'warning' : 'good'}>
          {t.told[isMadeElsewhere ? 'onItsWay' : how]}
        </Notice>
      )}
      <Loaded of={transfer} lines={8}>
        {(data) => (
          <>
            <Details transfer={data} again={transfer.again} />
            <div class="actions">
              <PrintButton />
              <ReceiptFile transferId={data.id} />
              <ButtonLink href={`${to('transfer')}?again=${data.id}`}>
                {texts().entry.again}
              </ButtonLink>
              <ButtonLink href={`${to('transfer')}?again=${data.id}&when=monthly`}>
                {texts().entry.monthly}
              </ButtonLink>
              <ButtonLink href={to('transfer')}>{t.another}</ButtonLink>
              <ButtonLink href={to('account', { accountId: data.fromAccountId })}>
                {t.toAccount}
              </ButtonLink>
            </div>
          </>
        )}
      </Loaded>
    </Screen>
  )
}
