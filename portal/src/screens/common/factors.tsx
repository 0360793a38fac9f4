// A person's own second factors: list, add, name and remove them, and new recovery codes.
import { useState } from 'preact/hooks'
import { Button, Loaded, Notice, Section } from '../../parts/basic.tsx'
import { Dialog, Question } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import {
  bindFields,
  errorsOf,
  findBlank,
  findUnfit,
  Form,
  FormActions,
  Outcome,
  useErrors,
  useTyped,
} from '../../parts/form.tsx'
import { FactorText } from '../../parts/factor-text.tsx'
import { Rows } from '../../parts/list.tsx'
import { type Read, useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { useListChanges, useSubmit } from '../../calls/submit.ts'
import type { Activation, Factor, OwnFactors } from '../../state/types.ts'
import { AddFactor } from './add-factor.tsx'

type Props = {
  /** What is told above the list. */
  told: string
  onCodes: (codes: readonly string[]) => void
  onChanged: (told: string) => void
}

export function Factors({ told, onCodes, onChanged }: Props) {
  const t = texts().factors
  const list = useRead<OwnFactors>('/auth/factors')
  function added({ recoveryCodes }: Activation): void {
    onChanged(t.added)
    if (recoveryCodes) onCodes(recoveryCodes)
  }
  return (
    <Section title={t.title}>
      {told && <Notice kind="good">{told}</Notice>}
      <p>{t.what}</p>
      <Loaded of={list}>{(own) => <List own={own} list={list} onCodes={onCodes} />}</Loaded>
      <AddFactor onAdded={added} />
    </Section>
  )
}

type ListProps = {
  own: OwnFactors
  list: Read<OwnFactors>
  onCodes: (codes: readonly string[]) => void
}

function List({ own: { factors, recoveryCodesLeft, policy }, list, onCodes }: ListProps) {
  const t = texts().factors
  const [asked, setAsked] = useState<{ verb: 'rename' | 'remove'; factor: Factor }>()
  const { told, change, ...changing } = useListChanges(list)
  const isLast = factors.length === 1
  const end = () => setAsked(undefined)
  function remove({ id }: Factor): void {
    end()
    void change({ method: 'DELETE', path: `/auth/factors/${id}` }, t.removed)
  }
  const done = told && <Notice kind="good">{told}</Notice>
  if (factors.length === 0) {
    return (
      <>
        {done}
        {policy === 'required' && <Notice kind="warning">{t.required}</Notice>}
      </>
    )
  }
  return (
    <>
      {done}
      <Outcome of={changing} />
      <Rows of={factors}>
        {(factor) => (
          <>
            <FactorText of={factor} />
            <div class="actions">
              <Button
                label={t.renameOf(factor.name)}
                onClick={() => setAsked({ verb: 'rename', factor })}
              >
                {t.rename}
              </Button>
              {!(isLast && policy === 'required') && (
                <Button
                  kind="danger"
                  label={t.removeOf(factor.name)}
                  isBusy={changing.isBusy}
                  onClick={() => setAsked({ verb: 'remove', factor })}
                >
                  {t.remove}
                </Button>
              )}
            </div>
          </>
        )}
      </Rows>
      <CodesLeft left={recoveryCodesLeft} onCodes={onCodes} />
      {asked?.verb === 'remove' && (
        <Question
          title={t.removeOf(asked.factor.name)}
          confirm={t.remove}
          onConfirm={() => remove(asked.factor)}
          onClose={end}
        >
          <p>{isLast ? t.removeLast : t.removeOne}</p>
        </Question>
      )}
      {asked?.verb === 'rename' && (
        <Rename
          factor={asked.factor}
          onClose={end}
          onDone={() => {
            end()
            list.again()
          }}
        />
      )}
    </>
  )
}

type RenameProps = { factor: Factor; onClose: () => void; onDone: () => void }

function Rename({ factor: { id, name }, onClose, onDone }: RenameProps) {
  const t = texts()
  const [body, change] = useTyped({ name })
  const [own, accept] = useErrors()
  const renaming = useSubmit()
  const errors = errorsOf(renaming, own, {})
  async function submit(): Promise<void> {
    if (!accept({ ...findBlank(body, 'name'), ...findUnfit(body, 'name') })) return
    const path = `/auth/factors/${id}`
    if (
      await renaming.submit({
        method: 'PATCH',
        path,
        body: { name: body.name.trim() },
        isRepeatable: true,
      })
    )
      onDone()
  }
  return (
    <Dialog title={t.factors.renameOf(name)} onClose={onClose}>
      <Form errors={errors} of={renaming} onSubmit={() => void submit()}>
        <Field
          {...bindFields(body, change, errors)('name')}
          isFirst
          label={t.factors.name}
          maxLength={70}
        />
        <FormActions label={t.common.save} isBusy={renaming.isBusy} cancel={onClose} />
      </Form>
    </Dialog>
  )
}

function CodesLeft({
  left,
  onCodes,
}: {
  left: number
  onCodes: (codes: readonly string[]) => void
}) {
  const t = texts().factors
  const making = useSubmit<{ recoveryCodes: readonly string[] }>()
  async function make(): Promise<void> {
    const sent = { method: 'POST', path: '/auth/recovery-codes', isRepeatable: false } as const
    const made = await making.submit(sent)
    if (made) onCodes(made.result.recoveryCodes)
  }
  return (
    <>
      <Outcome of={making} />
      <p>{t.codesLeft(left)}</p>
      <div class="actions">
        <Button isBusy={making.isBusy} onClick={() => void make()}>
          {t.newCodes}
        </Button>
      </div>
    </>
  )
}
