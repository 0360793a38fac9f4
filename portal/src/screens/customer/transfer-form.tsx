// What is to be paid, from which account and to whom.
import { useEffect, useState } from 'preact/hooks'
import { useUsualAccount } from '../../calls/usual-account.ts'
import { Button, FailureNotice, Loaded, Screen, Skeleton } from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import { bind, Form, signError } from '../../parts/form.tsx'
import { More } from '../../parts/list.tsx'
import { usePages, useRead } from '../../calls/call.ts'
import { useDraft } from '../../state/draft.ts'
import { locale, texts } from '../../texts/language.ts'
import { amountError, formatMoney, parseTyped, sum, toTyped } from '../../texts/money.tsx'
import { to } from '../../state/paths.ts'
import { findMovement, forgetMovement, openReview } from '../../calls/movements.ts'
import { navigate, readQuery, setQuery } from '../../state/router.ts'
import type { Account, Beneficiary, Transfer } from '../../state/types.ts'
import { accountLabel, NoAccount } from './account-choice.tsx'
import { type TransferBody, transferDraft, transferReview } from './transfer-body.ts'

const empty = {
  from: '',
  /** `account:` or `beneficiary:` with the identifier. */
  to: '',
  amount: '',
  reference: '',
  /** Of which language the notation is in which the amount was typed: it may differ in another. */
  notation: '',
}
type Draft = typeof empty

/** What the query asks for: `from`, `to` (a beneficiary), or `again` (an earlier transfer). */
function usePrefill(fill: (draft: Partial<Draft>) => void) {
  const [asked] = useState(readQuery)
  const find = (name: string) => asked.get(name) ?? undefined
  const [from, toId, again] = [find('from'), find('to'), find('again')]
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
      : { ...empty, from: from ?? '' }
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
    // A payment that was reviewed but not sent: reviewed anew, it gets a new key.
    const reviewed = findMovement(transferReview)
    if (reviewed) forgetMovement(reviewed)
    if (draft.amount && draft.notation !== locale()) change({ amount: '' })
  }, [])
  return (
    <Screen title={t.title}>
      {prefill.failure && <FailureNotice failure={prefill.failure} />}
      {prefill.isDone ? (
        <Loaded of={accounts}>
          {({ all, usual }) => (
            <Fields accounts={all} usual={usual} draft={draft} change={change} />
          )}
        </Loaded>
      ) : (
        <Skeleton />
      )}
    </Screen>
  )
}

type Target = [value: string, label: string, group: string]
type FieldsProps = {
  accounts: Account[]
  usual: Account | undefined
  draft: Draft
  change: (part: Partial<Draft>) => void
}

const findSource = (sources: Account[], id: string, usual: Account | undefined) =>
  sources.find((one) => one.id === id) ?? sources.find((one) => one === usual) ?? sources[0]

function Fields({ accounts, usual, draft, change }: FieldsProps) {
  const t = texts().transfer
  const [isChecked, setChecked] = useState(false)
  const sources = accounts.filter(({ status }) => status === 'active')
  const from = findSource(sources, draft.from, usual)
  const payees = usePages<Beneficiary>(from && `/accounts/${from.id}/beneficiaries?limit=100`)
  if (!from) {
    return <NoAccount {...(accounts.length > 0 && { text: t.allFrozen })} />
  }
  const { id: fromAccountId, currency } = from
  const targets: Target[] = [
    ...accounts
      .filter((other) => other.id !== fromAccountId && other.currency === currency)
      .map((own): Target => [`account:${own.id}`, accountLabel(own), t.ownAccounts]),
    ...(payees.data ?? [])
      .filter(({ status }) => status === 'active')
      .map(({ id, name, nickname, iban }): Target => {
        const shown = `${nickname ?? name} …${iban.slice(-4)}`
        return [`beneficiary:${id}`, shown, t.beneficiaries]
      }),
  ]
  const isKnown = targets.some(([value]) => value === draft.to)
  const amount = parseTyped(draft.amount, currency)
  const example = toTyped(sum(['1234'], currency), currency)
  const errors = isChecked
    ? {
        to: isKnown ? undefined : t.chooseTarget,
        amount: amount === undefined ? amountError(draft.amount, currency) : undefined,
        reference: signError(draft.reference),
      }
    : {}

  const field = bind(draft, change, errors)

  function review(): void {
    setChecked(true)
    if (!isKnown || amount === undefined || signError(draft.reference)) return
    const [kind, id] = draft.to.split(':') as ['account' | 'beneficiary', string]
    const target = kind === 'account' ? { toAccountId: id } : { beneficiaryId: id }
    const reference = draft.reference.trim()
    const body: TransferBody = { fromAccountId, ...target, amount, currency, reference }
    openReview(transferReview, '/transfers', body)
    navigate(`${to('transfer')}?review`)
  }

  return (
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
          value={isKnown ? draft.to : ''}
          options={[['', t.choose], ...targets]}
        />
        <More of={payees} />
        <p>
          <a href={`${to('beneficiaryNew')}?account=${fromAccountId}&pay`}>{t.newBeneficiary}</a>
        </p>
        <div class="field">
          <Field
            {...field('amount')}
            label={t.amountIn(currency)}
            hint={t.amountExample(example)}
            inputMode="decimal"
            maxLength={30}
            onInput={(typed) => change({ amount: typed, notation: locale() })}
          />
          <p role="status" class="quiet">
            {amount !== undefined && t.amountRead(formatMoney(amount, currency))}
          </p>
        </div>
        <Field
          {...field('reference')}
          label={texts().entry.reference}
          hint={t.referenceHint}
          maxLength={140}
        />
        <Button kind="primary" type="submit">
          {t.review}
        </Button>
      </Form>
    </section>
  )
}
