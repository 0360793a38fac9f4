// Enrols a second factor: its name and the password, then a new passkey or a code of the
// application that has read the secret.
import { useState } from 'preact/hooks'
import { Button, Copyable, FailureNotice, Notice } from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import {
  bindFields,
  errorsOf,
  findBlank,
  findUnfit,
  Form,
  FormActions,
  useErrors,
  useTyped,
} from '../../parts/form.tsx'
import { Later } from '../../parts/later.tsx'
import type { Failure } from '../../state/failure.ts'
import { texts } from '../../texts/language.ts'
import { createPasskey } from '../../calls/passkeys.ts'
import { deviceName } from '../../calls/sign-in.ts'
import { useSubmit } from '../../calls/submit.ts'
import type { Activation, Enrolment, Factor } from '../../state/types.ts'

type Kind = Factor['kind']
type Props = { onAdded: (added: Activation) => void }

/** First the choice of a kind. */
export function AddFactor({ onAdded }: Props) {
  const t = texts().factors
  const [kind, setKind] = useState<Kind>()
  const [enrolment, setEnrolment] = useState<Enrolment>()
  function end(): void {
    setKind(undefined)
    setEnrolment(undefined)
  }
  function added(activation: Activation): void {
    end()
    onAdded(activation)
  }
  if (enrolment?.totp) {
    const { id, totp } = enrolment
    return <Totp id={id} totp={totp} onAdded={added} onCancel={end} />
  }
  if (kind) {
    return <Begin key={kind} kind={kind} onBegun={setEnrolment} onAdded={added} onCancel={end} />
  }
  return (
    <div class="choices">
      {'PublicKeyCredential' in globalThis && (
        <Button kind="primary" onClick={() => setKind('passkey')}>
          {t.addPasskey}
        </Button>
      )}
      <Button onClick={() => setKind('totp')}>{t.addTotp}</Button>
    </div>
  )
}

const activate = (id: string, body: object) =>
  ({
    method: 'POST',
    path: `/auth/factors/${id}/activate`,
    body,
    isRepeatable: false,
  }) as const

type BeginProps = Props & {
  kind: Kind
  onBegun: (enrolment: Enrolment) => void
  onCancel: () => void
}

function Begin({ kind, onBegun, onAdded, onCancel }: BeginProps) {
  const t = texts()
  const name = kind === 'passkey' ? deviceName() : t.factors.totp
  const [body, change] = useTyped({ name, password: '' })
  const [own, accept] = useErrors()
  const [failure, setFailure] = useState<Failure>()
  const [isAsking, setAsking] = useState(false)
  const beginning = useSubmit<Enrolment>()
  const activating = useSubmit<Activation>()
  const errors = errorsOf(beginning, own, { password: t.security.wrongPassword })
  const isBusy = beginning.isBusy || isAsking || activating.isBusy

  async function submit(): Promise<void> {
    setFailure(undefined)
    const unfit = { ...findBlank(body, 'name', 'password'), ...findUnfit(body, 'name') }
    if (isBusy || !accept(unfit)) return
    const path = '/auth/factors'
    const sent = {
      method: 'POST',
      path,
      body: { kind, ...body, name: body.name.trim() },
      isRepeatable: false,
    } as const
    const begun = await beginning.submit(sent)
    if (!begun) return change({ password: '' })
    const { id, passkey: options } = begun.result
    if (!options) return onBegun(begun.result)
    setAsking(true)
    try {
      const passkey = await createPasskey(options)
      const done = await activating.submit(activate(id, { passkey }))
      if (done) return onAdded(done.result)
    } catch (thrown) {
      setFailure(thrown as Failure)
    }
    setAsking(false)
  }
  const field = bindFields(body, change, errors)
  return (
    <Form
      errors={errors}
      of={activating.failure ? activating : beginning}
      onSubmit={() => void submit()}
    >
      <p>{kind === 'passkey' ? t.factors.passkeyWhat : t.factors.totpWhat}</p>
      {failure && <FailureNotice failure={failure} />}
      <Field
        {...field('name')}
        isFirst
        label={t.factors.name}
        hint={t.factors.nameHint}
        maxLength={70}
      />
      <Field
        {...field('password')}
        label={t.password.label}
        type="password"
        autocomplete="current-password"
      />
      <FormActions
        label={kind === 'passkey' ? t.factors.addPasskey : t.factors.continue}
        isBusy={isBusy}
        cancel={onCancel}
      />
    </Form>
  )
}

const loadQrCode = async () => (await import('../../parts/qr.tsx')).QrCode

type TotpProps = Props & {
  id: string
  totp: NonNullable<Enrolment['totp']>
  onCancel: () => void
}

/** The secret, to be read or typed by the application, and the first code. */
function Totp({ id, totp: { secret, uri }, onAdded, onCancel }: TotpProps) {
  const t = texts()
  const [typed, change] = useTyped({ code: '' })
  const [own, accept] = useErrors()
  const activating = useSubmit<Activation>()
  const errors = errorsOf(activating, own, { code: t.factors.wrong })
  const isOver = activating.failure?.code === 'illegal_transition'
  async function submit(): Promise<void> {
    if (!accept(findBlank(typed, 'code'))) return
    const done = await activating.submit(activate(id, { code: typed.code.replaceAll(/\s/g, '') }))
    if (done) onAdded(done.result)
    else change({ code: '' })
  }
  return (
    <Form errors={errors} {...(!isOver && { of: activating })} onSubmit={() => void submit()}>
      {isOver && (
        <Notice kind="bad" role="alert">
          {t.factors.over}
        </Notice>
      )}
      <p>{t.factors.scan}</p>
      <Later load={loadQrCode} with={{ text: uri, title: t.factors.qr }} />
      <p>
        {t.factors.orType}{' '}
        <Copyable
          text={secret}
          shown={secret.replace(/(.{4})(?=.)/g, '$1 ')}
          name={t.factors.secret}
        />
      </p>
      <p>
        <a href={uri}>{t.factors.openApp}</a>
      </p>
      <Field
        {...bindFields(typed, change, errors)('code')}
        isFirst
        label={t.factors.code}
        hint={t.factors.codeHint}
        autocomplete="one-time-code"
        inputMode="numeric"
        maxLength={10}
      />
      <div class="actions">
        {!isOver && (
          <Button kind="primary" type="submit" isBusy={activating.isBusy}>
            {t.factors.addTotp}
          </Button>
        )}
        <Button onClick={onCancel}>{isOver ? t.factors.startAgain : t.common.cancel}</Button>
      </div>
    </Form>
  )
}
