// Saves the receipt of a payment as a PDF file.
import { useState } from 'preact/hooks'
import { Button, FailureNotice } from '../../parts/basic.tsx'
import { download } from '../../calls/download.ts'
import type { Failure } from '../../state/failure.ts'
import { texts } from '../../texts/language.ts'

export function ReceiptFile({ transferId }: { transferId: string }) {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  async function save(): Promise<void> {
    setBusy(true)
    setFailure(undefined)
    const path = `/transfers/${transferId}/receipt?format=pdf`
    await download(path, `receipt-${transferId}.pdf`).catch(setFailure)
    setBusy(false)
  }
  return (
    <>
      <Button isBusy={isBusy} onClick={() => void save()}>
        {texts().entry.pdf}
      </Button>
      {failure && <FailureNotice failure={failure} />}
    </>
  )
}
