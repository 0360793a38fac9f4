// Sets a password by the link of a mail. The link's token leaves the address bar and the history at
// once, and is kept nowhere but in this page's memory.
import { useEffect, useState } from 'preact/hooks'
import { Button, ButtonLink, Notice, Screen } from '../../parts/basic.tsx'
import { Check, errorsOf, Field, Form } from '../../parts/form.tsx'
import { texts } from '../../language.ts'
import { to } from '../../pages.ts'
import { navigate } from '../../router.ts'
import { ended, phase } from '../../session.ts'
import { signOut } from '../../sign-in.ts'
import { useSubmit } from '../../submit.ts'

let token = ''

/** Takes the token out of the address. Also when the link is opened in a page already open. */
function takeToken(): void {
  const found = /^#token=([\w-]{1,128})$/.exec(location.hash)?.[1]
  if (found === undefined) return
  token = found
  history.replaceState(null, '', location.pathname)
}
takeToken()

export function Reset() {
  const t = texts()
  const [password, setPassword] = useState('')
  const [isShown, setShown] = useState(false)
  const [isEmpty, setEmpty] = useState(false)
  const [hasToken, setHasToken] = useState(token !== '')
  const setting = useSubmit()
  useEffect(() => {
    const read = () => {
      takeToken()
      setHasToken(token !== '')
      setting.reset()
    }
    read()
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }, [])
  const fields = setting.failure?.fields ?? []
  const isUsed = setting.state === 'refused' && fields.includes('token')
  const errors = errorsOf(
    setting,
    { newPassword: isEmpty ? t.form.required : undefined },
    { newPassword: t.reset.unfit },
  )
  async function submit(): Promise<void> {
    setEmpty(password === '')
    if (password === '') return
    const change = {
      method: 'POST',
      path: '/auth/password-reset/confirm',
      body: { token, newPassword: password },
      isRepeatable: false,
    } as const
    if (!(await setting.submit(change))) return
    token = ''
    // Setting a password has ended every session of its user; this browser's may be another's.
    if (phase.value === 'in') await signOut('passwordSet')
    ended.value = 'passwordSet'
    navigate(to('home'), { replace: true })
  }
  if (!hasToken || isUsed) {
    return (
      <Screen title={t.reset.title}>
        <Notice kind={isUsed ? 'bad' : 'info'}>{isUsed ? t.reset.used : t.reset.noToken}</Notice>
        <ButtonLink href={to('forgot')} kind="primary">
          {t.reset.another}
        </ButtonLink>
      </Screen>
    )
  }
  return (
    <Screen title={t.reset.title}>
      <Form errors={errors} of={setting} onSubmit={() => void submit()}>
        <Field
          name="newPassword"
          label={t.reset.password}
          hint={t.reset.rules}
          type={isShown ? 'text' : 'password'}
          autocomplete="new-password"
          value={password}
          onInput={setPassword}
          error={errors['newPassword']}
        />
        <Check label={t.signIn.show} checked={isShown} onChange={setShown} />
        <Button kind="primary" type="submit" isBusy={setting.isBusy}>
          {t.reset.submit}
        </Button>
      </Form>
    </Screen>
  )
}
