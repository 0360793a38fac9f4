// Freezes an account, or unfreezes it, with the reason that the audit trail keeps.
import { useState } from 'preact/hooks'
import { Button } from '../../parts/basic.tsx'
import { Menu } from '../../parts/menu.tsx'
import { texts } from '../../texts/language.ts'
import { useSubmit } from '../../calls/submit.ts'
import type { Account } from '../../state/types.ts'
import { ReasonDialog } from './reason.tsx'

type Props = {
  account: Account
  /** Given what to tell. */
  onChanged: (told: string) => void
}

export function Freezing({ account, onChanged }: Props) {
  const t = texts().staffAccount
  const [isAsking, setAsking] = useState(false)
  const changing = useSubmit<Account>()
  const verb = account.status === 'frozen' ? 'unfreeze' : 'freeze'
  async function send(reason: string): Promise<void> {
    const path = `/admin/accounts/${account.id}/${verb}`
    const done = await changing.submit({
      method: 'POST',
      path,
      body: { reason },
      isRepeatable: true,
    })
    if (!done) return
    setAsking(false)
    onChanged(t[verb].done)
  }
  const open = () => {
    changing.reset()
    setAsking(true)
  }
  return (
    <>
      <Menu>
        <Button kind={verb === 'freeze' ? 'danger' : 'plain'} onClick={open}>
          {t[verb].ask}
        </Button>
      </Menu>
      {isAsking && (
        <ReasonDialog
          title={t[verb].title}
          text={t[verb].text}
          label={t[verb].confirm}
          hint={texts().cash.auditHint}
          of={changing}
          onSubmit={(reason) => void send(reason)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
