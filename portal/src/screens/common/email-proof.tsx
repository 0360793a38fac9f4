// Proves a new e-mail address by the link of a mail, once its person is signed in.
import { Button, ButtonLink, Notice, Screen } from '../../parts/basic.tsx'
import { Form } from '../../parts/form.tsx'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { resetToken } from '../../state/reset-token.ts'
import { navigate } from '../../state/router.ts'
import { useRead } from '../../calls/call.ts'
import type { OwnEmail } from '../../state/types.ts'
import { signOut } from '../../calls/sign-in.ts'
import { useSubmit } from '../../calls/submit.ts'

function Proof({ token }: { token: string }) {
  const t = texts().emailProof
  const proving = useSubmit()
  const next = useRead<OwnEmail>('/me/email').data?.next
  const isDead = proving.state === 'refused' && proving.failure?.fields.includes('token')
  async function submit(): Promise<void> {
    const change = { method: 'POST', path: '/me/email/proof', body: { token } } as const
    if (!(await proving.submit({ ...change, isRepeatable: false }))) return
    resetToken.value = ''
    // It has ended every session of the person.
    await signOut('emailProved')
    navigate(to('profile'), { replace: true })
  }
  if (token === '' || isDead) {
    return (
      <>
        <Notice kind={isDead ? 'bad' : 'info'}>{isDead ? t.dead : t.noToken}</Notice>
        <ButtonLink href={to('profile')} kind="primary">
          {t.toProfile}
        </ButtonLink>
      </>
    )
  }
  const isTaken = proving.failure?.code === 'already_exists'
  return (
    <Form {...(!isTaken && { of: proving })} onSubmit={() => void submit()}>
      {isTaken && (
        <Notice kind="bad" role="alert">
          {t.taken}
        </Notice>
      )}
      {next && <p class="code">{next.email}</p>}
      <p>{t.intro}</p>
      <Button kind="primary" type="submit" isBusy={proving.isBusy}>
        {t.submit}
      </Button>
    </Form>
  )
}

export const EmailProof = () => (
  <Screen title={texts().emailProof.title}>
    <div class="card narrow">
      <Proof key={resetToken.value} token={resetToken.value} />
    </div>
  </Screen>
)
