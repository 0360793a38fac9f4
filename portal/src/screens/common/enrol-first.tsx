// All that a session may do whose person has to enrol a second factor.
import { useState } from 'preact/hooks'
import { Notice, Screen } from '../../parts/basic.tsx'
import { texts } from '../../texts/language.ts'
import { mustEnrol } from '../../calls/session.ts'
import { openSession } from '../../calls/sign-in.ts'
import { AddFactor } from './add-factor.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

function goOn(): void {
  mustEnrol.value = false
  void openSession()
}

export function EnrolFirst() {
  const t = texts().factors
  const [codes, setCodes] = useState<readonly string[]>()
  if (codes) return <RecoveryCodes codes={codes} onDone={goOn} />
  return (
    <Screen title={t.firstTitle}>
      <Notice kind="warning">{t.firstWhy}</Notice>
      <section class="card narrow">
        <p>{t.what}</p>
        <AddFactor
          onAdded={({ recoveryCodes }) => (recoveryCodes ? setCodes(recoveryCodes) : goOn())}
        />
      </section>
    </Screen>
  )
}
