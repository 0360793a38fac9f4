// A payment that was made: what to keep, to print, or to make again.
import { useAccount } from '../../parts/accounts.tsx'
import { ButtonLink, Loaded, Notice, Screen } from '../../parts/basic.tsx'
import { useRead } from '../../call.ts'
import { texts } from '../../language.ts'
import { to } from '../../pages.ts'
import type { Transaction, Transfer } from '../../types.ts'
import { readQuery } from './account-choice.tsx'
import { Facets } from './entry.tsx'
import { PrintButton } from './print.tsx'

function Details({ transfer }: { transfer: Transfer }) {
  const { id, fromAccountId } = transfer
  const account = useAccount(fromAccountId)
  const entry = useRead<Transaction>(`/accounts/${fromAccountId}/transactions/${id}`)
  const read = {
    data: account.data && entry.data && { ...account.data, entry: entry.data },
    failure: account.failure ?? entry.failure,
    again() {
      account.again()
      entry.again()
    },
  }
  return (
    <Loaded of={read} lines={8}>
      {(sides) => <Facets {...sides} transfer={transfer} />}
    </Loaded>
  )
}

export function Receipt({ parameters }: { parameters: Record<string, string> }) {
  const t = texts().transfer
  const transfer = useRead<Transfer>(`/transfers/${parameters['transferId']}`)
  const how = (['made', 'checked', 'duplicate'] as const).find((name) => readQuery().has(name))
  return (
    <Screen title={t.receipt}>
      {how && transfer.data && (
        <Notice kind={how === 'duplicate' ? 'warning' : 'good'}>{t.told[how]}</Notice>
      )}
      <Loaded of={transfer} lines={8}>
        {(data) => (
          <>
            <Details transfer={data} />
            <div class="actions">
              <PrintButton />
              <ButtonLink href={`${to('transfer')}?again=${data.id}`}>
                {texts().entry.again}
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
