// A payment that one person may not send alone becomes a draft: who may pay so much has signed it
// by that.
import { useState } from 'preact/hooks'
import { useSubmit } from '../../../calls/submit.ts'
import { Button } from '../../../parts/basic.tsx'
import { Outcome } from '../../../parts/form.tsx'
import { storeDraft } from '../../../state/draft.ts'
import { to } from '../../../state/paths.ts'
import { navigate } from '../../../state/router.ts'
import { texts } from '../../../texts/language.ts'
import { type TransferBody, transferDraft } from '../transfer-body.ts'

export function SendForSignature({ body }: { body: TransferBody }) {
  const [key] = useState(() => crypto.randomUUID())
  const sending = useSubmit()
  async function send(): Promise<void> {
    const { fromAccountId, ...terms } = body
    const path = `/accounts/${fromAccountId}/drafts`
    const sent = { method: 'POST', path, body: terms, key, isRepeatable: true } as const
    if (!(await sending.submit(sent))) return
    storeDraft(transferDraft, undefined)
    navigate(`${to('signatures')}?sent`, { replace: true })
  }
  return (
    <>
      <Outcome of={sending} />
      <div class="actions">
        <Button kind="primary" isBusy={sending.isBusy} onClick={() => void send()}>
          {texts().drafts.send}
        </Button>
      </div>
    </>
  )
}
