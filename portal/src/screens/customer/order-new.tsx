// A new standing order: what is paid, on which days, and its review.
import { useEffect, useState } from 'preact/hooks'
import { Button, ButtonLink, Facts, Screen } from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import { bind, errorsOf, type Errors, Form, signError, useErrors } from '../../parts/form.tsx'
import { More } from '../../parts/list.tsx'
import { usePages } from '../../calls/call.ts'
import { type Change, type Submit, useSubmit } from '../../calls/submit.ts'
import { useDraft } from '../../state/draft.ts'
import { to } from '../../state/paths.ts'
import { navigate, readQuery } from '../../state/router.ts'
import type { Account, Beneficiary, Order } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'
import { amountError, formatMoney, parseTyped, sum, toTyped } from '../../texts/money.tsx'
import { formatDay, isDay } from '../../texts/time.tsx'
import { accountLabel, WithAccount } from './account-choice.tsx'

const empty = {
  /** `account:` or `beneficiary:` with the identifier. */
  to: '',
  amount: '',
  reference: '',
  rhythm: 'monthly',
  firstOn: '',
  lastOn: '',
  retryDays: '0',
}
type Draft = typeof empty
type Target = [value: string, label: string, group: string]

/** What the page itself finds wrong. */
function findErrors(draft: Draft, account: Account, isKnown: boolean): Errors {
  const t = texts().orders
  const { amount, firstOn, lastOn, reference, rhythm } = draft
  const { currency } = account
  const isLast = rhythm !== 'once' && lastOn !== ''
  return {
    to: isKnown ? undefined : t.chooseTarget,
    amount: parseTyped(amount, currency) === undefined ? amountError(amount, currency) : undefined,
    reference: signError(reference),
    firstOn: isDay(firstOn) ? undefined : t.badDay,
    lastOn: isLast && !(isDay(lastOn) && lastOn >= firstOn) ? t.badLastDay : undefined,
  }
}

function toChange(draft: Draft, { id: accountId, currency }: Account): Change {
  const { rhythm, firstOn, lastOn, retryDays } = draft
  const [kind, id] = draft.to.split(':')
  const body = {
    ...(kind === 'account' ? { toAccountId: id } : { beneficiaryId: id }),
    amount: parseTyped(draft.amount, currency),
    currency,
    reference: draft.reference.trim(),
    rhythm,
    firstOn,
    ...(rhythm !== 'once' && lastOn !== '' && { lastOn }),
    ...(retryDays !== '0' && { retryDays: Number(retryDays) }),
  }
  return { method: 'POST', path: `/accounts/${accountId}/orders`, body, isRepeatable: false }
}

/** None is typed, or the form was emptied when the order was made. */
const shownDay = (day: string): string | undefined => (isDay(day) ? formatDay(day) : undefined)

type Row = readonly [name: string, value: string | undefined]

/** What the order says, to be read before it is made. */
function toRows(draft: Draft, account: Account, payee: string | undefined): Row[] {
  const t = texts().orders
  const { currency } = account
  const isRepeated = draft.rhythm !== 'once'
  return [
    [texts().entry.from, accountLabel(account)],
    [t.payee, payee],
    [t.amount, formatMoney(parseTyped(draft.amount, currency) ?? '0', currency)],
    [texts().entry.reference, draft.reference || undefined],
    [t.rhythm, t.rhythms[draft.rhythm as 'monthly']],
    [isRepeated ? t.firstOn : t.day, shownDay(draft.firstOn)],
    [t.lastOn, isRepeated ? shownDay(draft.lastOn) : undefined],
    [t.retry, t.retries(Number(draft.retryDays))],
  ]
}

type ReviewProps = {
  rows: Row[]
  of: Submit<Order>
  onBack: () => void
  onSubmit: () => Promise<void>
}

const Review = ({ rows, of: making, onBack, onSubmit }: ReviewProps) => (
  <section class="card">
    <Form of={making} onSubmit={() => void onSubmit()}>
      <Facts rows={rows} />
      <div class="actions">
        <Button kind="primary" type="submit" isBusy={making.isBusy}>
          {texts().orders.make}
        </Button>
        <Button onClick={onBack}>{texts().orders.change}</Button>
      </div>
    </Form>
  </section>
)

/** Whom the account may pay: own accounts of its currency, and its active payees. */
function toTargets(
  account: Account,
  accounts: readonly Account[],
  payees: readonly Beneficiary[],
): Target[] {
  const t = texts().orders
  const own = accounts.filter(({ id, currency }) => {
    return id !== account.id && currency === account.currency
  })
  const active = payees.filter(({ status }) => status === 'active')
  return [
    ...own.map((other): Target => [`account:${other.id}`, accountLabel(other), t.ownAccounts]),
    ...active.map(({ id, name, nickname, iban }): Target => {
      return [`beneficiary:${id}`, `${nickname ?? name} …${iban.slice(-4)}`, t.payees]
    }),
  ]
}

type FormProps = { account: Account; accounts: readonly Account[] }

function NewForm({ account, accounts }: FormProps) {
  const t = texts().orders
  const [draft, change, clear] = useDraft('order', { ...empty, to: readQuery().get('to') ?? '' })
  const [own, accept] = useErrors()
  const [isReviewed, setReviewed] = useState(false)
  const making = useSubmit<Order>()
  const payees = usePages<Beneficiary>(`/accounts/${account.id}/beneficiaries?limit=100`)
  const { currency } = account
  const targets = toTargets(account, accounts, payees.data ?? [])
  const chosen = targets.find(([value]) => value === draft.to)
  const list = `${to('orders')}?account=${account.id}`
  const errors = errorsOf(making, own, { firstOn: t.badDay, lastOn: t.badLastDay })

  function review(): void {
    if (accept(findErrors(draft, account, chosen !== undefined))) setReviewed(true)
  }
  async function submit(): Promise<void> {
    if (!(await making.submit(toChange(draft, account)))) return
    clear()
    navigate(`${list}&made`, { replace: true })
  }
  useEffect(() => {
    if (making.failure?.code === 'invalid_request') setReviewed(false)
  }, [making.failure])
  const field = bind(draft, change, errors)
  if (isReviewed) {
    const rows = toRows(draft, account, chosen?.[1])
    return <Review rows={rows} of={making} onBack={() => setReviewed(false)} onSubmit={submit} />
  }
  const example = toTyped(sum(['1234'], currency), currency)
  return (
    <section class="card">
      <Form errors={errors} of={making} onSubmit={review}>
        <Field
          {...field('to')}
          label={t.payee}
          value={chosen ? draft.to : ''}
          options={[['', t.choose], ...targets]}
        />
        <More of={payees} />
        <Field
          {...field('amount')}
          label={t.amountIn(currency)}
          hint={t.amountExample(example)}
          inputMode="decimal"
          maxLength={30}
        />
        <Field {...field('reference')} label={texts().entry.reference} maxLength={140} />
        <Field
          {...field('rhythm')}
          label={t.rhythm}
          options={(['once', 'weekly', 'monthly', 'yearly'] as const).map((each) => [
            each,
            t.rhythms[each],
          ])}
        />
        <Field
          {...field('firstOn')}
          type="date"
          label={draft.rhythm === 'once' ? t.day : t.firstOn}
          hint={t.firstHint}
        />
        {draft.rhythm !== 'once' && (
          <Field {...field('lastOn')} type="date" label={t.lastOn} hint={t.lastHint} />
        )}
        <Field
          {...field('retryDays')}
          label={t.retry}
          options={[0, 1, 2, 3, 4, 5].map((days) => [String(days), t.retries(days)])}
        />
        <div class="actions">
          <Button kind="primary" type="submit">
            {t.review}
          </Button>
          <ButtonLink href={list}>{texts().common.cancel}</ButtonLink>
        </div>
      </Form>
    </section>
  )
}

export const OrderNew = () => (
  <Screen title={texts().orders.add}>
    <WithAccount>
      {(account, accounts) => <NewForm key={account.id} account={account} accounts={accounts} />}
    </WithAccount>
  </Screen>
)
