// The second step of a sign-in.
import { Button, ButtonLink, Screen } from '../../parts/basic.tsx'
import { to } from '../../state/paths.ts'
import { texts } from '../../texts/language.ts'
import { answerSignIn } from '../../calls/sign-in.ts'
import type { Challenge } from '../../state/types.ts'
import { ProofForm } from './proof-form.tsx'

export function SecondStep({ challenge, onBack }: { challenge: Challenge; onBack: () => void }) {
  const t = texts().factors
  return (
    <Screen title={t.stepTitle}>
      <div class="card">
        <ProofForm
          challenge={challenge}
          submit={t.continue}
          onProof={(proof) => answerSignIn(challenge.id, proof)}
        >
          <Button kind="link" onClick={onBack}>
            {t.startAgain}
          </Button>
          <ButtonLink href={to('help')}>{texts().signIn.help}</ButtonLink>
        </ProofForm>
      </div>
    </Screen>
  )
}
