// What is held in an account: administrators place a hold with its reason, change until when, and
// release it.
import { useState } from 'preact/hooks'
import { UserText } from '../../parts/accounts.tsx'
import { Button, Notice, Section } from '../../parts/basic.tsx'
import { Dialog, Question } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import {
  bindFields,
  errorsOf,
  Form,
  FormActions,
  Outcome,
  useErrors,
  useTyped,
} from '../../parts/form.tsx'
import { Listed, Rows } from '../../parts/list.tsx'
import { Menu } from '../../parts/menu.tsx'
import { usePages } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { amountError, formatMoney, Money, parseTyped } from '../../texts/money.tsx'
import { useListChanges, useSubmit } from '../../calls/submit.ts'
import { dayStart, formatTime, isDay, localDay, Time } from '../../texts/time.tsx'
import type { Account, Hold } from '../../state/types.ts'
import { Reason, reasonError } from './reason.tsx'

type Props = { account: Account; mayChange: boolean; onChanged: () => void }
type HoldQuestion = { verb: 'release' | 'change'; hold: Hold }
type Send = (part: { method: 'POST' | 'PATCH'; path: string; body?: object }, done: string) => void

/** The last instant of a day; null where none was chosen. */
const toEnd = (day: string): string | null => (isDay(day) ? dayStart(day, 1) : null)

/** The last day on which it is held. */
const toDay = (expiresAt: string | null): string =>
  expiresAt === null ? '' : localDay(new Date(Date.parse(expiresAt) - 1).toISOString())

const moneyOf = ({ remaining, currency }: Hold): string => formatMoney(remaining, currency)

export function Holds({ account, mayChange, onChanged }: Props) {
  const t = texts().staffHolds
  const list = usePages<Hold>(`/accounts/${account.id}/holds?status=active&limit=50`)
  const again = () => {
    list.again()
    onChanged()
  }
  const { told, change, ...changing } = useListChanges({ again })
  const [asked, setAsked] = useState<HoldQuestion>()
  const [isPlacing, setPlacing] = useState(false)
  const [placed, setPlaced] = useState('')
  const end = () => setAsked(undefined)
  const send: Send = (part, done) => {
    setPlaced('')
    void change(part, done).then(end)
  }
  return (
    <Section
      title={t.title}
      actions={mayChange && <Button onClick={() => setPlacing(true)}>{t.place}</Button>}
    >
      {(placed || told) && <Notice kind="good">{placed || told}</Notice>}
      <Outcome of={changing} />
      <Listed of={list} none={t.none}>
        {(holds) => (
          <Rows of={holds}>
            {(hold) => (
              <>
                <HoldText of={hold} />
                {mayChange && (
                  <Menu of={t.of(moneyOf(hold))}>
                    <Button onClick={() => setAsked({ verb: 'change', hold })}>{t.change}</Button>
                    <Button onClick={() => setAsked({ verb: 'release', hold })}>{t.release}</Button>
                  </Menu>
                )}
              </>
            )}
          </Rows>
        )}
      </Listed>
      {isPlacing && (
        <Placing
          account={account}
          onClose={() => setPlacing(false)}
          onDone={(hold) => {
            setPlacing(false)
            setPlaced(t.placed(moneyOf(hold)))
            again()
          }}
        />
      )}
      {asked && <Asking of={asked} isBusy={changing.isBusy} send={send} onClose={end} />}
    </Section>
  )
}

type AskingProps = { of: HoldQuestion; isBusy: boolean; send: Send; onClose: () => void }

function Asking({ of: { verb, hold }, isBusy, send, onClose }: AskingProps) {
  const t = texts().staffHolds
  const path = `/holds/${hold.id}`
  if (verb === 'change') {
    const save = (expiresAt: string | null) =>
      send({ method: 'PATCH', path, body: { expiresAt } }, t.changed)
    return <Until of={hold} isBusy={isBusy} onSave={save} onClose={onClose} />
  }
  return (
    <Question
      title={t.releaseTitle(moneyOf(hold))}
      confirm={t.release}
      kind="primary"
      isBusy={isBusy}
      onConfirm={() => send({ method: 'POST', path: `${path}/release` }, t.released(moneyOf(hold)))}
      onClose={onClose}
    >
      <p>{t.releaseText}</p>
    </Question>
  )
}

function HoldText({ of: hold }: { of: Hold }) {
  const t = texts().hold
  const { kind, reference, remaining, currency, createdAt, expiresAt } = hold
  return (
    <div>
      <strong>
        <Money amount={remaining} currency={currency} />
      </strong>{' '}
      <UserText>{reference}</UserText>
      <p class="quiet small">
        {t.kinds[kind]} · <Time at={createdAt} style="date" /> ·{' '}
        {expiresAt ? t.until(formatTime(expiresAt)) : t.open}
      </p>
    </div>
  )
}

const kinds = ['seizure', 'dispute'] as const
const daysMax = 400

/** Undefined: the day can be the last one of a hold. */
function dayError(day: string, isOptional: boolean): string | undefined {
  if (day === '' && isOptional) return undefined
  const last = localDay(new Date(Date.now() + (daysMax - 1) * 86_400_000).toISOString())
  return isDay(day) && day >= localDay() && day <= last ? undefined : texts().staffHolds.badDay
}

type PlacingProps = { account: Account; onClose: () => void; onDone: (hold: Hold) => void }

function Placing({ account: { id, currency }, onClose, onDone }: PlacingProps) {
  const t = texts()
  const [typed, change] = useTyped({ kind: 'seizure', amount: '', reference: '', until: '' })
  const [own, accept] = useErrors()
  const placing = useSubmit<Hold>()
  const errors = errorsOf(placing, own, {
    reference: t.cash.badReason,
    expiresAt: t.staffHolds.badDay,
  })
  async function place(): Promise<void> {
    const amount = parseTyped(typed.amount, currency)
    const found = {
      amount: amount === undefined ? amountError(typed.amount, currency) : undefined,
      reference: reasonError(typed.reference),
      until: dayError(typed.until, true),
    }
    if (!accept(found)) return
    const { kind, reference, until } = typed
    const expiresAt = toEnd(until)
    const body = {
      kind,
      amount,
      currency,
      reference: reference.trim(),
      ...(expiresAt && { expiresAt }),
    }
    const path = `/accounts/${id}/holds`
    const key = crypto.randomUUID()
    const done = await placing.submit({ method: 'POST', path, body, key, isRepeatable: true })
    if (done) onDone(done.result)
  }
  const field = bindFields(typed, change, errors)
  return (
    <Dialog title={t.staffHolds.place} onClose={onClose}>
      <p>{t.staffHolds.placeText}</p>
      <Form errors={errors} of={placing} onSubmit={() => void place()}>
        <Field
          {...field('amount')}
          isFirst
          label={t.cash.amountIn(currency)}
          inputMode="decimal"
          maxLength={30}
        />
        <Field
          {...field('kind')}
          label={t.staffHolds.kind}
          options={kinds.map((kind) => [kind, t.hold.kinds[kind]])}
        />
        <Reason {...field('reference')} hint={t.staffHolds.reasonHint} />
        <Field
          {...field('until')}
          label={t.staffHolds.untilDay}
          hint={t.staffHolds.untilHint}
          type="date"
        />
        <FormActions label={t.staffHolds.place} isBusy={placing.isBusy} cancel={onClose} />
      </Form>
    </Dialog>
  )
}

type UntilProps = {
  of: Hold
  isBusy: boolean
  onSave: (expiresAt: string | null) => void
  onClose: () => void
}

/** A card's hold always ends on some day. */
function Until({ of: hold, isBusy, onSave, onClose }: UntilProps) {
  const t = texts()
  const [typed, change] = useTyped({ until: toDay(hold.expiresAt) })
  const [errors, accept] = useErrors()
  function save(): void {
    if (accept({ until: dayError(typed.until, hold.kind !== 'authorization') })) {
      onSave(toEnd(typed.until))
    }
  }
  return (
    <Dialog title={t.staffHolds.change} onClose={onClose}>
      <Form errors={errors} onSubmit={save}>
        <Field
          {...bindFields(typed, change, errors)('until')}
          isFirst
          label={t.staffHolds.untilDay}
          {...(hold.kind !== 'authorization' && { hint: t.staffHolds.untilHint })}
          type="date"
        />
        <FormActions label={t.common.save} isBusy={isBusy} cancel={onClose} />
      </Form>
    </Dialog>
  )
}
