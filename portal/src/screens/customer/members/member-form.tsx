// What a member may do, typed in: of a person to be invited, or of a member.
import { useSubmit, type Change } from '../../../calls/submit.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/field.tsx'
import {
  bindFields,
  type Errors,
  errorsOf,
  findBlank,
  Form,
  FormActions,
  useErrors,
  useTyped,
} from '../../../parts/form.tsx'
import type { Member } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import { amountError, type Currency, parseTyped, toTyped } from '../../../texts/money.tsx'
import { dayStart, isDay, localDay } from '../../../texts/time.tsx'

type Props = {
  accountId: string
  currency: Currency
  /** Left out: somebody is invited. */
  member?: Member | undefined
  onDone: (told: string) => void
  onClose: () => void
}

const lastDayOf = (until: string): string => localDay(new Date(Date.parse(until) - 1).toISOString())

function begin(member: Member | undefined, currency: Currency) {
  const shown = (amount: string | null | undefined) => (amount ? toTyped(amount, currency) : '')
  return {
    username: member?.username ?? '',
    rights: member?.rights ?? 'view',
    perPayment: shown(member?.perPayment),
    perDay: shown(member?.perDay),
    until: member?.until ? lastDayOf(member.until) : '',
  }
}

const parseLimit = (text: string, currency: Currency): string | null | undefined =>
  text.trim() === '' ? null : parseTyped(text, currency, 'zero')

type Typed = ReturnType<typeof begin>

function findWrong({ perPayment, perDay, until }: Typed, currency: Currency): Errors {
  const find = (text: string) =>
    parseLimit(text, currency) === undefined ? amountError(text, currency) : undefined
  return {
    perPayment: find(perPayment),
    perDay: find(perDay),
    until: until === '' || isDay(until) ? undefined : texts().members.badUntil,
  }
}

/** The instant of a last day that was not touched stays, also one within the day. */
const toGranted = ({ rights, until, ...limits }: Typed, before: Typed, currency: Currency) => ({
  rights,
  currency,
  perPayment: parseLimit(limits.perPayment, currency),
  perDay: parseLimit(limits.perDay, currency),
  ...(until !== before.until && { until: until === '' ? null : dayStart(until, 1) }),
})

type LimitProps = {
  field: (name: 'perPayment' | 'perDay') => ReturnType<ReturnType<typeof bindFields<Typed>>>
  currency: Currency
}

function LimitFields({ field, currency }: LimitProps) {
  const t = texts().members
  const amount = { inputMode: 'decimal', maxLength: 30 } as const
  return (
    <>
      <Field {...field('perPayment')} {...amount} label={t.perPaymentIn(currency)} />
      <Field {...field('perDay')} {...amount} label={t.perDayIn(currency)} />
    </>
  )
}

export function MemberForm({ accountId, currency, member, onDone, onClose }: Props) {
  const t = texts()
  const [typed, change] = useTyped(begin(member, currency))
  const [own, accept] = useErrors()
  const sending = useSubmit()
  const isTaken = sending.failure?.code === 'already_exists'
  const errors = {
    ...errorsOf(sending, own, { username: t.members.badUsername, until: t.members.badUntil }),
    ...(isTaken && { username: t.members.taken }),
  }
  const field = bindFields(typed, change, errors)
  const path = `/accounts/${accountId}/members`
  const { username, rights } = typed
  const name = username.trim()

  async function send(): Promise<void> {
    if (!accept({ ...(!member && findBlank(typed, 'username')), ...findWrong(typed, currency) }))
      return
    const granted = toGranted(typed, begin(member, currency), currency)
    const sent: Change = member
      ? { method: 'PATCH', path: `${path}/${member.id}`, body: granted, isRepeatable: true }
      : {
          method: 'POST',
          path,
          body: { username: name, ...granted },
          isRepeatable: false,
        }
    if (await sending.submit(sent)) {
      onDone(member ? t.members.changed : t.members.invited(name))
    }
  }
  return (
    <Dialog
      title={member ? t.members.changeOf(nameOfMember(member)) : t.members.invite}
      onClose={onClose}
    >
      <Form errors={errors} {...(!isTaken && { of: sending })} onSubmit={() => void send()}>
        {!member && (
          <Field
            {...field('username')}
            isFirst
            label={t.members.username}
            hint={t.members.usernameHint}
            maxLength={64}
          />
        )}
        <Field
          {...field('rights')}
          isFirst={member !== undefined}
          label={t.members.rights}
          options={Object.entries(t.members.choices)}
        />
        {rights !== 'view' && <LimitFields field={field} currency={currency} />}
        <Field
          {...field('until')}
          type="date"
          label={t.members.lastDay}
          hint={t.members.lastDayHint}
        />
        <FormActions
          label={member ? t.common.save : t.members.invite}
          isBusy={sending.isBusy}
          cancel={onClose}
        />
      </Form>
    </Dialog>
  )
}

/** Its own name once the person has accepted; until then the one that was typed. */
export const nameOfMember = ({ name, username }: Member): string =>
  name ?? username ?? texts().members.former
