// The terms of a standing order, changed in place: what is left as it is, is not sent.
import { useState } from 'preact/hooks'
import {
  comparePayee,
  type Compared,
  needsAcceptance,
  toCarried,
} from '../../../calls/payee-check.ts'
import { useSubmit } from '../../../calls/submit.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/field.tsx'
import {
  bindFields,
  errorsOf,
  Form,
  FormActions,
  signError,
  useErrors,
  useTyped,
} from '../../../parts/form.tsx'
import type { Account, Beneficiary, Order, UpdateOrderBody } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { amountError, parseTyped, toTyped } from '../../../texts/money.tsx'
import { isDay } from '../../../texts/time.tsx'
import { toTargets } from '../account-choice.tsx'
import { HolidayField, retryOptions } from './order-terms.tsx'
import { ComparedName } from '../payees/compared-name.tsx'
import { toTarget } from '../transfer-body.ts'

type Props = {
  of: Order
  account: Account
  accounts: readonly Account[]
  payees: readonly Beneficiary[]
  onDone: () => void
  onClose: () => void
}

/** The payee as the list of payees names it; empty where it is gone. */
const toChosen = ({ beneficiaryId, toAccountId }: Order): string =>
  beneficiaryId ? `beneficiary:${beneficiaryId}` : toAccountId ? `account:${toAccountId}` : ''

const toTerms = (order: Order) => ({
  to: toChosen(order),
  amount: toTyped(order.amount, order.currency),
  reference: order.reference,
  lastOn: order.lastOn ?? '',
  retryDays: String(order.retryDays ?? 0),
  onHoliday: order.onHoliday ?? 'pay',
})
type TypedTerms = ReturnType<typeof toTerms>

/** The fields that differ from what the order says. */
function toBody(order: Order, typed: TypedTerms, amount: string): UpdateOrderBody {
  const reference = typed.reference.trim()
  const lastOn = typed.lastOn || null
  const retryDays = Number(typed.retryDays)
  const onHoliday = typed.onHoliday
  return {
    ...(typed.to !== toChosen(order) && toTarget(typed.to)),
    ...(amount !== order.amount && { amount }),
    ...(reference !== order.reference && { reference }),
    ...(lastOn !== order.lastOn && { lastOn }),
    ...(retryDays !== (order.retryDays ?? 0) && { retryDays }),
    ...(onHoliday !== (order.onHoliday ?? 'pay') && { onHoliday }),
  }
}

function findErrors({ currency, firstOn, rhythm }: Order, typed: TypedTerms) {
  const t = texts().orders
  const amount = parseTyped(typed.amount, currency)
  const isLast = rhythm !== 'once' && typed.lastOn !== ''
  return {
    to: typed.to === '' ? texts().transfer.chooseTarget : undefined,
    amount: amount === undefined ? amountError(typed.amount, currency) : undefined,
    reference: signError(typed.reference),
    lastOn: isLast && !(isDay(typed.lastOn) && typed.lastOn >= firstOn) ? t.badLastDay : undefined,
  }
}

export function OrderChange(props: Props) {
  const { of: order, account, accounts, payees, onDone, onClose } = props
  const t = texts().orders
  const words = texts().transfer
  const [typed, setTyped] = useTyped(toTerms(order))
  const [own, accept] = useErrors()
  const sending = useSubmit<Order>()
  const [check, setCheck] = useState<Compared>()
  const errors = errorsOf(sending, own, { lastOn: t.badLastDay, reference: texts().form.badText })
  const change = (part: Partial<TypedTerms>) => {
    if (part.to !== undefined) setCheck(undefined)
    setTyped(part)
  }
  const field = bindFields(typed, change, errors)
  const targets = toTargets(account, accounts, payees, {
    own: words.ownAccounts,
    payees: words.beneficiaries,
  })

  /** A new payee is compared first; the person accepts another name by a second press. */
  async function compare(): Promise<Compared | undefined> {
    const payee = payees.find(({ id }) => `beneficiary:${id}` === typed.to)
    return payee && typed.to !== toChosen(order) ? comparePayee(account.id, payee) : undefined
  }

  async function save(): Promise<void> {
    const amount = parseTyped(typed.amount, order.currency)
    if (!accept(findErrors(order, typed)) || amount === undefined) return
    const body = toBody(order, typed, amount)
    if (Object.keys(body).length === 0) return onClose()
    const compared = check ?? (await compare())
    if (!check && typeof compared === 'object' && needsAcceptance(compared)) {
      return setCheck(compared)
    }
    const path = `/orders/${order.id}`
    const sent = { method: 'PATCH', path, body: { ...body, ...toCarried(compared) } } as const
    if (await sending.submit({ ...sent, isRepeatable: true })) onDone()
  }

  return (
    <Dialog title={t.changeTitle} onClose={onClose}>
      <Form errors={errors} of={sending} onSubmit={() => void save()}>
        <Field
          {...field('amount')}
          isFirst
          label={words.amountIn(order.currency)}
          inputMode="decimal"
          maxLength={30}
        />
        <Field {...field('to')} label={t.payee} options={[['', words.choose], ...targets]} />
        <Field {...field('reference')} label={texts().entry.reference} maxLength={140} />
        {order.rhythm !== 'once' && (
          <Field {...field('lastOn')} type="date" label={t.lastOn} hint={t.lastHint} />
        )}
        <Field {...field('retryDays')} label={t.retry} options={retryOptions()} />
        <HolidayField typed={field('onHoliday')} />
        <ComparedName of={check} />
        <FormActions
          label={check ? t.changeAnyway : texts().common.save}
          kind={check ? 'plain' : 'primary'}
          isBusy={sending.isBusy}
          cancelKind={check ? 'primary' : 'plain'}
          cancel={onClose}
        />
      </Form>
    </Dialog>
  )
}
