// Many fees, interest and corrections at once: rows are typed or pasted, each is checked, all are
// reviewed, and booked once by their numbers.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, FailureNotice, Notice, Section, useElementId } from '../../../parts/basic.tsx'
import { Field } from '../../../parts/field.tsx'
import { Form, FormActions } from '../../../parts/form.tsx'
import { usePayment } from '../../../calls/payment.ts'
import { useDraft } from '../../../state/draft.ts'
import { Failure } from '../../../state/failure.ts'
import { to } from '../../../state/paths.ts'
import type { CreatePostingBatchBody, PostingOutcomes } from '../../../state/types.ts'
import { texts } from '../../../texts/language.ts'
import {
  type CheckedRows,
  checkRows,
  type PostingItem,
  readRows,
  type RowFault,
  rowsHead,
  rowsMax,
  toRows,
} from './posting-rows.ts'
import { PostingsResult, PostingsReview } from './postings-review.tsx'
import { useAskEach } from './use-ask-each.ts'

const path = '/admin/postings/batch'

/** The file, read by its browser; what it holds stays on the page until it is booked. */
function RowsFile({ onText }: { onText: (text: string) => void }) {
  const id = useElementId()
  return (
    <div class="field">
      <label for={id}>{texts().postings.file}</label>
      <input
        id={id}
        type="file"
        accept=".csv,.tsv,.txt,text/csv,text/plain"
        onChange={({ currentTarget }) => {
          void currentTarget.files?.[0]?.text().then(onText)
          currentTarget.value = ''
        }}
      />
    </div>
  )
}

function Faults({ of: faults }: { of: readonly RowFault[] }) {
  const t = texts().postings
  if (faults.length === 0) return null
  return (
    <Notice kind="bad" role="alert">
      <p>{t.wrong}</p>
      <ul>
        {faults.map(({ line, message }) => (
          <li key={line}>{t.line(line, message)}</li>
        ))}
      </ul>
    </Notice>
  )
}

type FormProps = {
  text: string
  onText: (text: string) => void
  onChecked: (items: PostingItem[], checked: CheckedRows) => void
}

function RowsForm({ text, onText, onChecked }: FormProps) {
  const t = texts().postings
  const [faults, setFaults] = useState<readonly RowFault[]>([])
  const [looking, setLooking] = useState<readonly [done: number, all: number]>()
  const [failure, setFailure] = useState<Failure>()
  const leaving = useRef(new AbortController())
  useEffect(() => () => leaving.current.abort(), [])
  async function check(): Promise<void> {
    if (looking) return
    setFailure(undefined)
    const read = readRows(text, crypto.randomUUID())
    setFaults(read.faults)
    if (read.faults.length > 0) return
    setLooking([0, read.rows.length])
    const { signal } = leaving.current
    try {
      const found = await checkRows(read.rows, (...progress) => setLooking(progress), signal)
      if (signal.aborted) return
      if ('faults' in found) setFaults(found.faults)
      else onChecked(found.items, found.checked)
    } catch (thrown) {
      if (signal.aborted) return
      if (!(thrown instanceof Failure)) throw thrown
      setFailure(thrown)
    }
    setLooking(undefined)
  }
  return (
    <Section title={t.rows}>
      <p>{t.meaning(rowsMax)}</p>
      <p>
        <code>{rowsHead}</code>
      </p>
      <Faults of={faults} />
      {failure && <FailureNotice failure={failure} />}
      <Form onSubmit={() => void check()}>
        {/* As it was typed: a tab is the end of a cell. */}
        <Field
          name="rows"
          label={t.rows}
          hint={t.numberHint}
          rows={8}
          isSecret
          value={text}
          onInput={onText}
        />
        <RowsFile onText={onText} />
        <p role="status" class="quiet">
          {looking && t.looking(...looking)}
        </p>
        <FormActions label={texts().cash.review} isBusy={!!looking} cancel={to('today')} />
      </Form>
    </Section>
  )
}

type AskProps = {
  of: ReturnType<typeof useAskEach>
  items: readonly PostingItem[]
  onChange: () => void
}

function AskEach({ of: each, items, onChange }: AskProps) {
  const { postings: t, cash } = texts()
  return (
    <Notice kind="warning" role="alert">
      <p>{t.secondPerson}</p>
      {each.failure && <FailureNotice failure={each.failure} />}
      <p role="status">{each.isAsking && t.asking(each.done, items.length)}</p>
      <div class="actions">
        <Button kind="primary" isBusy={each.isAsking} onClick={() => void each.ask(items)}>
          {t.askEach}
        </Button>
        {!each.isAsking && <Button onClick={onChange}>{cash.change}</Button>}
      </div>
    </Notice>
  )
}

const nothingChecked: CheckedRows = { ibans: {}, lines: {} }

export function ManyPostings() {
  const [typed, change, clear] = useDraft('postings', { text: '' })
  const [checked, keepChecked] = useDraft('postings.checked', nothingChecked)
  const payment = usePayment<CreatePostingBatchBody, PostingOutcomes>('postings.review', clear)
  const each = useAskEach()
  const { movement } = payment
  if (!movement) {
    return (
      <RowsForm
        text={typed.text}
        onText={(text) => change({ text })}
        onChecked={(items, found) => {
          keepChecked(found)
          payment.open(path, { items })
        }}
      />
    )
  }
  const { items } = movement.body
  const outcomes = movement.result ? movement.result.results : each.outcomes
  if (outcomes) {
    const again = (rows: readonly PostingItem[]): void => {
      change({ text: toRows(rows, checked.ibans) })
      each.forget()
      payment.close()
    }
    return <PostingsResult items={items} outcomes={outcomes} checked={checked} onAgain={again} />
  }
  // The bank takes no batch of what waits for a second person.
  const isForEach = movement.failure?.code === 'forbidden'
  return (
    <PostingsReview of={payment} items={items} checked={checked}>
      {isForEach && <AskEach of={each} items={items} onChange={payment.close} />}
    </PostingsReview>
  )
}
