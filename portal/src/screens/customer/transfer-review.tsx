// Everything about a payment before it is confirmed, and the search for its outcome after that.
import { useEffect, useState } from 'preact/hooks'
import { accountName, UserText } from '../../parts/accounts.tsx'
import { useAccounts } from '../../calls/own-accounts.ts'
import { Button, ButtonLink, Facts, groupIban } from '../../parts/basic.tsx'
import { Loaded, Notice, Screen } from '../../parts/basic.tsx'
import { Form } from '../../parts/form.tsx'
import { together, useRead } from '../../calls/call.ts'
import { storeDraft } from '../../state/draft.ts'
import { texts } from '../../texts/language.ts'
import { formatAgo } from '../../texts/time.tsx'
import { formatMoney, Money, negate, sum } from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import { usePayment } from '../../calls/payment.ts'
import { navigate } from '../../state/router.ts'
import type { Beneficiary, List, Transaction, Transfer } from '../../state/types.ts'
import { type TransferBody, transferDraft, transferReview } from './transfer-body.ts'

/** Both sides of the payment as the API tells them; undefined until they are read. */
function useSides({ fromAccountId, toAccountId, beneficiaryId }: TransferBody) {
  const accounts = useAccounts()
  const payee = useRead<Beneficiary>(beneficiaryId && `/beneficiaries/${beneficiaryId}`)
  const find = (id: string | undefined) => accounts.data?.find((account) => account.id === id)
  const [from, own] = [find(fromAccountId), find(toAccountId)]
  const target = payee.data ?? (own && { ...own, name: accountName(own) })
  const read = together({ accounts, ...(beneficiaryId && { payee }) })
  return { ...read, data: from && target && { from, target } }
}

const equalHours = 24

/** The newest equal payment of the last day: same account, payee and amount. */
function useEqual({ fromAccountId, amount }: TransferBody, sides: ReturnType<typeof useSides>) {
  const [from] = useState(() => new Date(Date.now() - equalHours * 3_600_000).toISOString())
  const query = { from, kind: 'transfer', minAmount: amount, maxAmount: amount, limit: '100' }
  const path = `/accounts/${fromAccountId}/transactions?${new URLSearchParams(query)}`
  const { data, failure } = useRead<List<Transaction>>(path)
  const iban = sides.data?.target.iban
  const equal = data?.items.find(
    (entry) => entry.amount.startsWith('-') && entry.counterparty?.iban === iban,
  )
  // The question is a help. Where it cannot be asked, the payment does not wait for it.
  return { isRead: data !== undefined || failure !== undefined, paidAt: equal?.createdAt }
}

const showReceipt = (transferId: string, how: 'made' | 'checked' | 'duplicate'): void =>
  navigate(`${to('receipt', { transferId })}?${how}`, { replace: true })

export function TransferReview() {
  const t = texts().transfer
  const payment = usePayment<TransferBody, Transfer>(transferReview, ({ id }, wasLost) =>
    showReceipt(id, wasLost ? 'checked' : 'made'),
  )
  const { movement, failure, isOpen, isRefused, isTooLate, isBusy } = payment
  const body = movement?.body as TransferBody
  const sides = useSides(body)
  const equal = useEqual(body, sides)
  const total = formatMoney(body.amount, body.currency)

  useEffect(() => {
    if (!isRefused || failure?.code !== 'duplicate_transfer') return
    storeDraft(transferDraft, undefined)
    const first = failure.location?.split('/').at(-1)
    if (first) showReceipt(first, 'duplicate')
  }, [isRefused])

  if (isOpen && isTooLate) {
    return (
      <Screen title={t.titleChecking}>
        <Notice kind="warning">{t.tooLate(total)}</Notice>
        <div class="actions">
          <ButtonLink href={to('account', { accountId: body.fromAccountId })} kind="primary">
            {t.toAccount}
          </ButtonLink>
          <Button
            onClick={() => {
              payment.close()
              storeDraft(transferDraft, undefined)
              navigate(to('transfer'), { replace: true })
            }}
          >
            {t.forget}
          </Button>
        </div>
      </Screen>
    )
  }
  // Of an account of one's own that is closed, no review is shown.
  const isWithoutPayee = isRefused && failure?.code === 'account_closed'
  const isChecking = payment.state === 'checking' || payment.state === 'unknown'
  return (
    <Screen key={`${isChecking}`} title={isChecking ? t.titleChecking : t.titleReview}>
      <section class="card">
        <Form {...(!isWithoutPayee && { of: payment })} onSubmit={payment.confirm}>
          {isWithoutPayee && (
            <Notice kind="bad" role="alert">
              {texts().form.noPayee}
            </Notice>
          )}
          {isRefused && failure?.code === 'invalid_request' && (
            <Notice kind="bad" role="alert">
              {failure.fields.includes('reference')
                ? texts().form.badText
                : texts().form.notAccepted}
            </Notice>
          )}
          <p class="amount-large">{total}</p>
          <Sides of={sides} body={body} isQuiet={isChecking} />
          {!isChecking && !isRefused && equal.paidAt && (
            <Notice kind="warning">{t.paidBefore(formatAgo(equal.paidAt))}</Notice>
          )}
          {!isChecking && (
            <div class="actions">
              {!isRefused && sides.data && equal.isRead && (
                <Button kind="primary" type="submit" isBusy={isBusy}>
                  {equal.paidAt ? t.payAgain(total) : t.pay(total)}
                </Button>
              )}
              {!isBusy && <ButtonLink href={to('transfer')}>{t.change}</ButtonLink>}
            </div>
          )}
        </Form>
      </section>
    </Screen>
  )
}

type SidesProps = { of: ReturnType<typeof useSides>; body: TransferBody; isQuiet: boolean }

function Sides({ of: sides, body, isQuiet }: SidesProps) {
  const t = texts().transfer
  const words = texts().entry
  const { amount, currency, reference } = body
  // While the outcome is looked for, a failure of these reads tells nothing new.
  if (isQuiet && !sides.data) return null
  return (
    <Loaded of={sides} lines={5}>
      {({ from, target }) => {
        const after = sum([from.balance, negate(amount)], currency)
        const isBeyond = sum([from.available, negate(amount)], currency).startsWith('-')
        const side = (name: string, iban: string) => (
          <>
            <UserText>{name}</UserText>
            <br />
            <span class="quiet code">{groupIban(iban)}</span>
          </>
        )
        return (
          <>
            <Facts
              rows={[
                [words.from, side(accountName(from), from.iban)],
                [words.to, side(target.name, target.iban)],
                [
                  words.reference,
                  reference === '' ? texts().common.none : <UserText>{reference}</UserText>,
                ],
                ...(isQuiet
                  ? []
                  : ([
                      [t.balanceNow, <Money amount={from.balance} currency={currency} />],
                      [words.balanceAfter, <Money amount={after} currency={currency} />],
                    ] as const)),
              ]}
            />
            {isBeyond && !isQuiet && <Notice kind="warning">{t.beyond}</Notice>}
          </>
        )
      }}
    </Loaded>
  )
}
