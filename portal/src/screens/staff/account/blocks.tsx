// The blocks of an account, also those that are over. Administrators set one, told in words what it
// stops, and lift it; support agents see what is stopped, and the class of the cause.
import { useState } from 'preact/hooks'
import { UserText } from '../../../parts/accounts.tsx'
import { Badge, Button, Notice, Section } from '../../../parts/basic.tsx'
import { Dialog, Question } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/field.tsx'
import {
  bindFields,
  errorsOf,
  Form,
  FormActions,
  Outcome,
  signError,
  useErrors,
  useTyped,
} from '../../../parts/form.tsx'
import { Listed, Rows } from '../../../parts/list.tsx'
import { usePages } from '../../../calls/call.ts'
import { useListChanges, useSubmit } from '../../../calls/submit.ts'
import { texts } from '../../../texts/language.ts'
import { dayStart, formatTime, isDay, localDay } from '../../../texts/time.tsx'
import type { Account, Block } from '../../../state/types.ts'

type Props = { account: Account; mayChange: boolean; onChanged: () => void }

const sides = ['debits', 'credits', 'both'] as const
type Side = (typeof sides)[number]

const sideOf = ({ debits, credits }: Block): Side =>
  debits && credits ? 'both' : debits ? 'debits' : 'credits'

const kinds = { active: 'warning', ended: 'plain', lifted: 'plain' } as const

export function Blocks({ account, mayChange, onChanged }: Props) {
  const t = texts().staffBlocks
  const path = `/admin/accounts/${account.id}/blocks`
  const list = usePages<Block>(`${path}?limit=20`)
  const again = () => {
    list.again()
    onChanged()
  }
  const { told, change, tell, ...changing } = useListChanges({ again })
  const [isSetting, setSetting] = useState(false)
  const [asked, setAsked] = useState<Block>()
  const close = () => setAsked(undefined)
  const lift = ({ id }: Block) =>
    void change({ method: 'DELETE', path: `${path}/${id}` }, t.liftDone).then(close)
  return (
    <Section
      title={t.title}
      actions={mayChange && <Button onClick={() => setSetting(true)}>{t.set}</Button>}
    >
      {told && <Notice kind="good">{told}</Notice>}
      <Outcome of={changing} />
      <Listed of={list} none={t.none}>
        {(blocks) => (
          <Rows of={blocks}>
            {(block) => (
              <>
                <BlockText of={block} />
                {mayChange && block.status === 'active' && (
                  <Button label={t.liftOf(t.sides[sideOf(block)])} onClick={() => setAsked(block)}>
                    {t.lift}
                  </Button>
                )}
              </>
            )}
          </Rows>
        )}
      </Listed>
      {isSetting && (
        <Setting
          path={path}
          onClose={() => setSetting(false)}
          onDone={() => {
            setSetting(false)
            tell(t.setDone)
          }}
        />
      )}
      {asked && (
        <Question
          title={t.liftTitle}
          confirm={t.lift}
          kind="primary"
          isBusy={changing.isBusy}
          onConfirm={() => lift(asked)}
          onClose={close}
        >
          <p>{t.liftText}</p>
        </Question>
      )}
    </Section>
  )
}

function BlockText({ of: block }: { of: Block }) {
  const t = texts().staffBlocks
  const { status, cause, causeClass, note, setAt, setBy, until, liftedAt, liftedBy } = block
  const nameOf = (by: Block['setBy'] | null) => by?.name ?? by?.id
  return (
    <div>
      <strong>{t.sides[sideOf(block)]}</strong>{' '}
      <Badge kind={kinds[status]}>{t.statuses[status]}</Badge>
      <p>{cause ? texts().block.causes[cause] : t.classes[causeClass]}</p>
      {note && (
        <p class="note-text">
          <UserText>{note}</UserText>
        </p>
      )}
      <p class="quiet small">
        {t.setAt(formatTime(setAt), nameOf(setBy))} · {until ? t.until(formatTime(until)) : t.open}
      </p>
      {liftedAt && <p class="quiet small">{t.liftedAt(formatTime(liftedAt), nameOf(liftedBy))}</p>}
    </div>
  )
}

/** Undefined: it can be the last day of a block, or none was chosen. */
const dayError = (day: string): string | undefined =>
  day === '' || (isDay(day) && day >= localDay()) ? undefined : texts().staffBlocks.badDay

const noteError = (note: string): string | undefined =>
  note.trim() === '' ? texts().form.required : signError(note.replaceAll('\n', ' '))

type SettingProps = { path: string; onClose: () => void; onDone: () => void }

function Setting({ path, onClose, onDone }: SettingProps) {
  const t = texts()
  const { causes } = t.block
  const names = Object.keys(causes) as (keyof typeof causes)[]
  const [typed, change] = useTyped({ side: 'debits', cause: names[0], note: '', until: '' })
  const side = typed.side as Side
  const [own, accept] = useErrors()
  const setting = useSubmit<Block>()
  const errors = errorsOf(setting, own, {
    note: t.staffBlocks.badNote,
    until: t.staffBlocks.badDay,
  })
  async function send(): Promise<void> {
    const { cause, note, until } = typed
    if (!accept({ note: noteError(note), until: dayError(until) })) return
    const body = {
      debits: side !== 'credits',
      credits: side !== 'debits',
      cause,
      note: note.trim(),
      ...(isDay(until) && { until: dayStart(until, 1) }),
      // Sent again after a lost answer, it is the same block.
      externalId: crypto.randomUUID(),
    }
    if (await setting.submit({ method: 'POST', path, body, isRepeatable: true })) onDone()
  }
  const field = bindFields(typed, change, errors)
  const isStopped = (one: 'debits' | 'credits') => side === one || side === 'both'
  return (
    <Dialog title={t.staffBlocks.set} onClose={onClose}>
      <Form errors={errors} of={setting} onSubmit={() => void send()}>
        <Field
          {...field('side')}
          isFirst
          label={t.staffBlocks.side}
          options={sides.map((one) => [one, t.staffBlocks.sides[one]])}
        />
        <div class="column" role="status">
          {isStopped('debits') && <p>{t.staffBlocks.stops.debits}</p>}
          {isStopped('credits') && <p>{t.staffBlocks.stops.credits}</p>}
          <p class="quiet">{t.staffBlocks.goesOn}</p>
        </div>
        <Field
          {...field('cause')}
          label={t.staffBlocks.cause}
          options={names.map((name) => [name, causes[name]])}
        />
        <Field
          {...field('note')}
          label={t.staffBlocks.note}
          hint={t.staffBlocks.noteHint}
          maxLength={2000}
          rows={4}
        />
        <Field
          {...field('until')}
          label={t.staffBlocks.untilDay}
          hint={t.staffBlocks.untilHint}
          type="date"
        />
        <FormActions label={t.staffBlocks.set} isBusy={setting.isBusy} cancel={onClose} />
      </Form>
    </Dialog>
  )
}
