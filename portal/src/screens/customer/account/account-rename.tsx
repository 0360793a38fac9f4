// Another name for an account of one's own.
import { Outcome } from '../../../parts/form.tsx'
import { RenameDialog } from '../../../parts/rename-dialog.tsx'
import { useSubmit } from '../../../calls/submit.ts'
import type { Account } from '../../../state/types.ts'

type Props = { account: Account; onDone: () => void; onClose: () => void }

export function AccountRename({ account: { id, name }, onDone, onClose }: Props) {
  const { submit, ...changing } = useSubmit<Account>()
  async function save(to: string | null): Promise<void> {
    const path = `/accounts/${id}`
    const change = { method: 'PATCH', path, body: { name: to }, isRepeatable: true } as const
    if (await submit(change)) onDone()
  }
  return (
    <>
      <Outcome of={changing} />
      <RenameDialog
        name={name}
        isBusy={changing.isBusy}
        onSave={(to) => void save(to)}
        onClose={onClose}
      />
    </>
  )
}
