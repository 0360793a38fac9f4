// What the reviews of a payment and of a standing order share: both sides, the button that sends it
// once, and the search for its outcome after that.
import type { ComponentChildren } from 'preact'
import { accountName, UserText } from '../../parts/accounts.tsx'
import { Button, ButtonLink, groupIban, Notice, Screen } from '../../parts/basic.tsx'
import { Form } from '../../parts/form.tsx'
import { readTogether, useRead } from '../../calls/call.ts'
import { useActedAccounts } from '../../calls/own-accounts.ts'
import type { Payment } from '../../calls/payment.ts'
import { storeDraft } from '../../state/draft.ts'
import { to } from '../../state/paths.ts'
import { navigate } from '../../state/router.ts'
import type { Beneficiary } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { transferDraft } from './transfer-body.ts'

type SideIds = {
  fromAccountId: string
  toAccountId?: string | undefined
  beneficiaryId?: string | undefined
}

/** Both sides of the payment as the API tells them; undefined until they are read. */
export function useSides({ fromAccountId, toAccountId, beneficiaryId }: SideIds) {
  const accounts = useActedAccounts()
  const payee = useRead<Beneficiary>(beneficiaryId && `/beneficiaries/${beneficiaryId}`)
  const find = (id: string | undefined) => accounts.data?.find((account) => account.id === id)
  const [from, own] = [find(fromAccountId), find(toAccountId)]
  const target = payee.data ?? (own && { ...own, name: accountName(own) })
  const read = readTogether({ accounts, ...(beneficiaryId && { payee }) })
  return { ...read, data: from && target && { from, target } }
}
export type Sides = ReturnType<typeof useSides>

export const SideText = ({ name, iban }: { name: string; iban: string }) => (
  <>
    <UserText>{name}</UserText>
    <br />
    <span class="quiet code">{groupIban(iban)}</span>
  </>
)

/** While its outcome is looked for. */
export const isChecked = ({ state }: Pick<Payment<unknown, unknown>, 'state'>): boolean =>
  state === 'checking' || state === 'unknown'

type Props<B, R> = {
  of: Payment<B, R>
  amount: string
  /** The title while its outcome is looked for. */
  checking: string
  /** What is told when it is too late to find out, and where to look for it then. */
  tooLate: string
  lookAt: readonly [href: string, text: string]
  /** Why it was refused, where the general words do not tell it. */
  refusal?: string | undefined
  /** What the button says that sends it; undefined while it cannot be sent. */
  send: string | undefined
  /** The name does not match: the safe choice comes first. */
  isUnsure?: boolean
  /** What the body says of the check of the payee. */
  carried?: Partial<B>
  children: ComponentChildren
}

export function PaymentReview<B, R>(props: Props<B, R>) {
  const { of: payment, amount, checking, tooLate, lookAt, refusal, send, carried, children } = props
  const { isUnsure = false } = props
  const t = texts().transfer
  if (payment.isOpen && payment.isTooLate) {
    const [href, text] = lookAt
    return (
      <Screen title={checking}>
        <Notice kind="warning">{tooLate}</Notice>
        <div class="actions">
          <ButtonLink href={href} kind="primary">
            {text}
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
  const isChecking = isChecked(payment)
  return (
    <Screen key={`${isChecking}`} title={isChecking ? checking : t.titleReview}>
      <section class="card">
        <Form
          {...(refusal === undefined && { of: payment })}
          onSubmit={() => payment.confirm(carried)}
        >
          {refusal !== undefined && (
            <Notice kind="bad" role="alert">
              {refusal}
            </Notice>
          )}
          <p class="amount-large">{amount}</p>
          {children}
          {!isChecking && (
            <div class="actions">
              {!payment.isRefused && send !== undefined && (
                <Button kind={isUnsure ? 'plain' : 'primary'} type="submit" isBusy={payment.isBusy}>
                  {send}
                </Button>
              )}
              {!payment.isBusy && (
                <ButtonLink href={to('transfer')} kind={isUnsure ? 'primary' : 'plain'}>
                  {t.change}
                </ButtonLink>
              )}
            </div>
          )}
        </Form>
      </section>
    </Screen>
  )
}
