// Saves a file of the API.
import { useState } from 'preact/hooks'
import { Button, FailureNotice } from '../../parts/basic.tsx'
import { download } from '../../calls/download.ts'
import type { Failure } from '../../state/failure.ts'

type Props = { path: string; name: string; label: string }

export function FileButton({ path, name, label }: Props) {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  async function save(): Promise<void> {
    setBusy(true)
    setFailure(undefined)
    await download(path, name).catch(setFailure)
    setBusy(false)
  }
  return (
    <>
      <Button isBusy={isBusy} onClick={() => void save()}>
        {label}
      </Button>
      {failure && <FailureNotice failure={failure} />}
    </>
  )
}
