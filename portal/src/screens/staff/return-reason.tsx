// Why a payment to another bank came back, by the codes of ISO 20022: chosen with a return, and
// told in words.
import { textOfWord } from '../../../../languages/words.ts'
import type { ComponentChildren } from 'preact'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { bindFields, Form, FormActions, useErrors, useTyped } from '../../parts/form.tsx'
import type { ReasonCode } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'

/** The reasons of nearly all credit transfers that come back. */
const often: ReadonlySet<string> = new Set(
  'AC01 AC04 AC06 AG01 AM05 BE01 FOCR FR01 MD07 MS02 MS03 RC01 RR04'.split(' '),
)

const describe = (code: string): string =>
  `${code} – ${textOfWord(texts().returns.reasons, code as ReasonCode, '')}`

export const ReasonText = ({ code }: { code: string }) => <>{describe(code)}</>

type Props = {
  title: string
  /** What the button says that returns. */
  confirm: string
  isBusy?: boolean
  onConfirm: (code: ReasonCode) => void
  onClose: () => void
  children: ComponentChildren
}

/** Asks before payments are returned, and for the reason that the other bank gave. */
export function ReturnQuestion({ confirm, isBusy = false, onConfirm, children, ...dialog }: Props) {
  const t = texts().returns
  const [typed, change] = useTyped({ reasonCode: '' })
  const [errors, accept] = useErrors()
  function send(): void {
    const { reasonCode } = typed
    if (!accept({ reasonCode: reasonCode === '' ? t.missing : undefined })) return
    onConfirm(reasonCode as ReasonCode)
  }
  const codes = Object.keys(t.reasons)
  const some = (group: string, isOften: boolean) =>
    codes
      .filter((code) => often.has(code) === isOften)
      .map((code) => [code, describe(code), group] as const)
  return (
    <Dialog {...dialog}>
      <Form errors={errors} onSubmit={send}>
        {children}
        <Field
          {...bindFields(typed, change, errors)('reasonCode')}
          label={t.reason}
          hint={t.hint}
          options={[['', t.choose], ...some(t.often, true), ...some(t.others, false)]}
        />
        <FormActions label={confirm} isBusy={isBusy} cancel={dialog.onClose} />
      </Form>
    </Dialog>
  )
}
