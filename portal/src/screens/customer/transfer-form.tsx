// What is to be paid, from which account and to whom, and when: now, on a day, or regularly.
import { useEffect, useState } from 'preact/hooks'
import { isOwn } from '../../calls/own-accounts.ts'
import { useUsualAccount } from '../../calls/usual-account.ts'
import { canPay } from '../../parts/accounts.tsx'
import { Button, FailureNotice, Loaded, Screen, Skeleton } from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import { bindFields, type Errors, Form, hasErrors, signError } from '../../parts/form.tsx'
import { Later } from '../../parts/later.tsx'
import { More } from '../../parts/list.tsx'
import { usePages, useRead } from '../../calls/call.ts'
import { hasMembers } from '../../state/bank.ts'
import { readDraft, useDraft } from '../../state/draft.ts'
import { Failure } from '../../state/failure.ts'
import type { CreditTransferText } from '../../texts/credit-transfer-text.ts'
import { loadTexts, locale, texts } from '../../texts/language.ts'
import {
  amountError,
  type Currency,
  formatMoney,
  negate,
  parseTyped,
  sum,
  toTyped,
} from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import { findMovement, forgetMovement, openReview } from '../../calls/movements.ts'
import { changePreferences } from '../../state/preferences.ts'
import { navigate, readQuery, setQuery } from '../../state/router.ts'
import type { Account, Beneficiary, Transfer } from '../../state/types.ts'
import { accountLabel, NoAccount, toTargets } from './account-choice.tsx'
import { loadPayingTerms } from './members/paying-terms-later.ts'
import type { ChosenPayee } from './payees/whom.tsx'
import {
  emptyTransfer as empty,
  oncePayee,
  toTarget,
  type TransferBody,
  type TransferDraft as Draft,
  transferDraft,
  transferReview,
} from './transfer-body.ts'

async function loadWhom() {
  const [{ Whom }] = await Promise.all([import('./payees/whom.tsx'), loadTexts('payees')])
  return Whom
}

const loadOrderParts = () => loadTexts('orders').then(() => import('./orders/order-terms.tsx'))
type OrderParts = Awaited<ReturnType<typeof loadOrderParts>>

/** The parts of a payment that is not made now. They are loaded when they are first asked for. */
function useOrderParts(isWanted: boolean) {
  const [parts, setParts] = useState<OrderParts>()
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    if (isWanted) loadOrderParts().then(setParts, () => setLost(true))
  }, [isWanted])
  return { isWanted, parts: isWanted ? parts : undefined, isLost: isWanted && isLost }
}

/**
 * What the query asks for: `from` with `when`, `to` (a beneficiary), or `again` (an earlier
 * transfer).
 */
function usePrefill(fill: (draft: Partial<Draft>) => void) {
  const [asked] = useState(readQuery)
  const find = (name: string) => asked.get(name) ?? undefined
  const [from, toId, again] = [find('from'), find('to'), find('again')]
  const when = find('when')
  const path = (collection: string, id: string | undefined) =>
    id && `/${collection}/${encodeURIComponent(id)}`
  const payee = useRead<Beneficiary>(path('beneficiaries', toId))
  const earlier = useRead<Transfer>(path('transfers', again))
  const failure = payee.failure ?? earlier.failure
  const isReady = (!toId || payee.data) && (!again || earlier.data)
  const isDone = isReady || failure
  useEffect(() => {
    if (!isDone || !(from ?? toId ?? again)) return
    // Back from a new payee: what was typed before stays.
    const filled: Partial<Draft> = asked.has('keep')
      ? { from: from ?? '' }
      : { ...empty, from: from ?? '', ...(when && { when }) }
    if (payee.data) {
      Object.assign(filled, { from: payee.data.accountId, to: `beneficiary:${payee.data.id}` })
    }
    if (earlier.data) {
      const { fromAccountId, toAccountId, beneficiaryId, amount, currency, reference } =
        earlier.data
      filled.from = fromAccountId
      filled.to = beneficiaryId ? `beneficiary:${beneficiaryId}` : `account:${toAccountId}`
      Object.assign(filled, { amount: toTyped(amount, currency), notation: locale(), reference })
    }
    fill(filled)
    // What is typed from now on is kept, also over a reload.
    setQuery(new URLSearchParams())
  }, [isDone])
  return { isDone, failure }
}

export function TransferForm() {
  const t = texts().transfer
  const [draft, change] = useDraft(transferDraft, empty)
  const prefill = usePrefill(change)
  const accounts = useUsualAccount()
  useEffect(() => {
    // What was reviewed but not sent: reviewed anew, it gets a new key.
    const reviewed = findMovement(transferReview)
    if (reviewed) forgetMovement(reviewed)
    if (draft.amount && draft.notation !== locale()) change({ amount: '' })
  }, [])
  return (
    <Screen title={t.title}>
      {prefill.failure && <FailureNotice failure={prefill.failure} />}
      {prefill.isDone ? (
        <Loaded of={accounts}>
          {({ all, usual, others }) => (
            <Fields accounts={[...all, ...others]} usual={usual} draft={draft} change={change} />
          )}
        </Loaded>
      ) : (
        <Skeleton />
      )}
    </Screen>
  )
}

type FieldsProps = {
  accounts: Account[]
  usual: Account | undefined
  draft: Draft
  change: (part: Partial<Draft>) => void
}

const findSource = (sources: Account[], id: string, usual: Account | undefined) =>
  sources.find((one) => one.id === id) ?? sources.find((one) => one === usual) ?? sources[0]

type WhenProps = {
  draft: Draft
  change: (part: Partial<Draft>) => void
  errors: Errors
  order: ReturnType<typeof useOrderParts>
  isBusy: boolean
  /** Whether it may be a standing order. */
  mayOrder: boolean
}

/** The reference, when it is paid, and the end of the form. */
function When({ order: { parts, isLost }, isBusy, mayOrder, ...form }: WhenProps) {
  const t = texts().transfer
  const { draft, change, errors } = form
  const field = bindFields(draft, change, errors)
  return (
    <>
      <Field
        {...field('reference')}
        label={texts().entry.reference}
        hint={t.referenceHint}
        maxLength={140}
      />
      {mayOrder && <Field {...field('when')} label={t.when} options={Object.entries(t.whens)} />}
      {parts && <parts.OrderFields {...form} />}
      {isLost && <FailureNotice failure={new Failure('offline')} />}
      {(!mayOrder || draft.when === 'now' || parts) && (
        <Button kind="primary" type="submit" isBusy={isBusy}>
          {t.review}
        </Button>
      )}
    </>
  )
}

/** An own account is the usual one from now on. */
function beginReview(account: Account, ...review: [path: string, body: object, saved?: string]) {
  if (isOwn(account)) changePreferences({ account: account.id })
  openReview(transferReview, ...review)
  navigate(`${to('transfer')}?review`)
}

/** A payee for one payment alone goes with it. */
function findOncePayee({ beneficiaryId }: TransferBody): string | undefined {
  const isOnce = beneficiaryId !== undefined && readDraft(oncePayee) === beneficiaryId
  return isOnce ? `/beneficiaries/${beneficiaryId}` : undefined
}

type AmountProps = {
  of: ReturnType<ReturnType<typeof bindFields>>
  currency: Currency
  amount: string | undefined
  /** What can be paid; undefined of a payment that is not made now. */
  available: string | undefined
  change: (part: Partial<Draft>) => void
}

/** The amount, and below it how the page reads it. */
function AmountField({ of: bound, currency, amount, available, change }: AmountProps) {
  const t = texts().transfer
  const example = toTyped(sum(['1234'], currency), currency)
  const left = available && amount && sum([available, negate(amount)], currency)
  return (
    <div class="field">
      <Field
        {...bound}
        label={t.amountIn(currency)}
        hint={t.amountExample(example)}
        inputMode="decimal"
        maxLength={30}
        onInput={(typed) => change({ amount: typed, notation: locale() })}
      />
      <p role="status" class="quiet">
        {amount !== undefined && t.amountRead(formatMoney(amount, currency))}{' '}
        {left?.startsWith('-') && <strong>{t.beyond}</strong>}
      </p>
    </div>
  )
}

type WhomProps = Pick<FieldsProps, 'accounts' | 'change'> & { from: Account }

/** Before a payee is chosen: whom to pay. The amount is typed next. */
function WhomFirst({ from, accounts, change }: WhomProps) {
  const shown = { from, accounts: accounts.filter(isOwn) }
  const { currency } = from
  function choose(chosen: ChosenPayee): void {
    change(chosen)
    queueMicrotask(() => document.querySelector<HTMLElement>('[name=amount]')?.focus())
  }
  function fill({ amount, reference }: CreditTransferText): void {
    const isEuro = amount !== undefined && currency === 'EUR'
    const typed = isEuro && { amount: toTyped(amount, currency), notation: locale() }
    change({ reference, ...typed })
  }
  return <Later load={loadWhom} with={{ ...shown, onChoose: choose, onCode: fill }} />
}

const NewPayee = ({ accountId }: { accountId: string }) => (
  <p>
    <a href={`${to('beneficiaryNew')}?account=${accountId}&pay`}>
      {texts().transfer.newBeneficiary}
    </a>
  </p>
)

function findErrors(draft: Draft, hasTarget: boolean, currency: Currency): Errors {
  const isAmount = parseTyped(draft.amount, currency) !== undefined
  return {
    to: hasTarget ? undefined : texts().transfer.chooseTarget,
    amount: isAmount ? undefined : amountError(draft.amount, currency),
    reference: signError(draft.reference),
  }
}

function Fields({ accounts, usual, draft, change }: FieldsProps) {
  const t = texts().transfer
  const [isChecked, setChecked] = useState(false)
  const sources = accounts.filter(canPay)
  const from = findSource(sources, draft.from, usual)
  // On an account of somebody else a person orders nothing here.
  const mayOrder = from === undefined || isOwn(from)
  const order = useOrderParts(mayOrder && draft.when !== 'now')
  const payees = usePages<Beneficiary>(from && `/accounts/${from.id}/beneficiaries?limit=100`)
  if (!from) {
    return <NoAccount {...(accounts.length > 0 && { text: t.allFrozen })} />
  }
  const { id: fromAccountId, currency } = from
  const targets = toTargets(from, accounts, payees.data ?? [], {
    own: t.ownAccounts,
    payees: t.beneficiaries,
  })
  const target = targets.find(([value]) => value === draft.to)
  // The payee that was chosen before is not missing while the list of payees is read.
  const isBusy = !target && draft.to !== '' && !payees.data && !payees.failure
  const amount = parseTyped(draft.amount, currency)
  const found = {
    ...findErrors(draft, target !== undefined, currency),
    ...order.parts?.findOrderErrors(draft),
  }
  const errors = isChecked ? found : {}
  const field = bindFields(draft, change, errors)

  function review(): void {
    setChecked(true)
    if (hasErrors(found) || !from || !target || amount === undefined) return
    if (order.parts) {
      const body = order.parts.toOrderBody(draft, amount, currency)
      return beginReview(from, `/accounts/${fromAccountId}/orders`, body)
    }
    const reference = draft.reference.trim()
    const terms = { amount, currency, reference }
    const body: TransferBody = { fromAccountId, ...toTarget(draft.to), ...terms }
    beginReview(from, '/transfers', body, findOncePayee(body))
  }

  return (
    <>
      {draft.to === '' && mayOrder && <WhomFirst from={from} accounts={accounts} change={change} />}
      {hasMembers && (
        <Later load={loadPayingTerms} with={{ account: from, isAlone: order.isWanted }} isQuiet />
      )}
      <section class="card">
        <Form errors={errors} onSubmit={review}>
          <Field
            name="from"
            label={texts().entry.from}
            value={fromAccountId}
            hint={t.available(formatMoney(from.available, currency))}
            onInput={(id) => change({ from: id, to: '' })}
            options={sources.map((account) => [account.id, accountLabel(account)])}
          />
          {payees.failure && <FailureNotice failure={payees.failure} again={payees.again} />}
          <Field
            {...field('to')}
            label={texts().entry.to}
            value={target ? draft.to : ''}
            options={[['', t.choose], ...targets]}
          />
          <More of={payees} />
          {mayOrder && <NewPayee accountId={fromAccountId} />}
          <AmountField
            of={field('amount')}
            currency={currency}
            amount={amount}
            available={order.isWanted ? undefined : from.available}
            change={change}
          />
          <When {...{ draft, change, errors, order, isBusy, mayOrder }} />
        </Form>
      </section>
    </>
  )
}
