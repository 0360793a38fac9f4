// Asks for what answers a challenge: a passkey, a code, or a recovery code.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button, FailureNotice, Notice } from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import { bindFields, findBlank, Form, useErrors, useTyped } from '../../parts/form.tsx'
import type { Failure } from '../../state/failure.ts'
import { texts } from '../../texts/language.ts'
import { askPasskey } from '../../calls/passkeys.ts'
import type { Proof } from '../../calls/sign-in.ts'
import type { Challenge } from '../../state/types.ts'

type Props = {
  challenge: Challenge
  /** What the button of a code says. */
  submit: string
  /** Sends the proof; throws the refusal. */
  onProof: (proof: Proof) => Promise<void>
  /** What else can be done. */
  children: ComponentChildren
}

const blank = { code: '', recoveryCode: '' }

export function ProofForm({ challenge, submit, onProof, children }: Props) {
  const t = texts().factors
  const [hasPasskey, hasTotp, takesRecovery] = (['passkey', 'totp', 'recovery-code'] as const).map(
    (method) => challenge.methods.includes(method),
  )
  const [isRecovery, setRecovery] = useState(false)
  const [typed, change] = useTyped(blank)
  const [errors, accept] = useErrors()
  const [isBusy, setBusy] = useState(false)
  const [failures, setFailures] = useState<Failure[]>([])
  const failure = failures.at(-1)
  const isWrong = ['invalid_credentials', 'invalid_request'].includes(failure?.code ?? '')

  async function answer(prove: () => Promise<Proof>): Promise<void> {
    if (isBusy) return
    setBusy(true)
    try {
      await onProof(await prove())
    } catch (thrown) {
      setFailures((before) => [...before, thrown as Failure])
      change(blank)
    }
    setBusy(false)
  }
  function sendTyped(): void {
    const name = isRecovery ? 'recoveryCode' : 'code'
    if (!accept(findBlank(typed, name))) return
    const { recoveryCode } = typed
    const code = typed.code.replaceAll(/\s/g, '')
    void answer(async () => (isRecovery ? { recoveryCode: recoveryCode.trim() } : { code }))
  }
  function choose(next: boolean): void {
    accept({})
    setFailures([])
    setRecovery(next)
  }

  const field = bindFields(typed, change, errors)
  const isByHand = hasTotp || isRecovery
  return (
    <>
      {failure && isWrong && (
        <Notice key={failures.length} kind="bad" role="alert">
          {isRecovery ? t.wrongRecovery : t.wrong}
          {/* At a sign-in: a refused code and a wrong one have the same answer. */}
          {takesRecovery && !isRecovery && failures.length > 1 && ` ${t.refused}`}
        </Notice>
      )}
      {failure && !isWrong && <FailureNotice key={failures.length} failure={failure} />}
      {hasPasskey && !isRecovery && (
        <ByPasskey
          isBusy={isBusy}
          onAnswer={() => void answer(async () => ({ passkey: await askPasskey(challenge) }))}
        />
      )}
      {isByHand && (
        <Form key={`${isRecovery}`} errors={errors} onSubmit={sendTyped}>
          <ProofField {...{ isRecovery, hasPasskey, field }} />
          <Button
            kind={hasPasskey && !isRecovery ? 'plain' : 'primary'}
            type="submit"
            isBusy={isBusy}
          >
            {submit}
          </Button>
        </Form>
      )}
      <div class="actions">
        {takesRecovery && (
          <Button kind="link" onClick={() => choose(!isRecovery)}>
            {isRecovery ? t.otherMeans : t.lost}
          </Button>
        )}
        {children}
      </div>
    </>
  )
}

function ByPasskey({ isBusy, onAnswer }: { isBusy: boolean; onAnswer: () => void }) {
  const t = texts().factors
  return (
    <>
      <p>{t.passkeyHow}</p>
      <div class="actions">
        <Button kind="primary" isBusy={isBusy} onClick={onAnswer}>
          {t.usePasskey}
        </Button>
      </div>
    </>
  )
}

type ProofFieldProps = {
  isRecovery: boolean
  hasPasskey: boolean | undefined
  field: ReturnType<typeof bindFields<typeof blank>>
}

function ProofField({ isRecovery, hasPasskey, field }: ProofFieldProps) {
  const t = texts().factors
  return isRecovery ? (
    <Field
      {...field('recoveryCode')}
      isFirst
      label={t.recoveryCode}
      hint={t.recoveryHint}
      maxLength={32}
    />
  ) : (
    <Field
      {...field('code')}
      isFirst={!hasPasskey}
      label={t.code}
      hint={t.codeHint}
      autocomplete="one-time-code"
      inputMode="numeric"
      maxLength={10}
    />
  )
}
