// A person's second factors, where the person is signed in, and the password.
import { useState } from 'preact/hooks'
import { Button, Notice, Screen, Section } from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import { bindFields, errorsOf, findBlank, Form, useErrors, useTyped } from '../../parts/form.tsx'
import { Later } from '../../parts/later.tsx'
import { Listed, Rows } from '../../parts/list.tsx'
import { deviceOf, SessionRow } from '../../parts/sessions.tsx'
import { usePages } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { passwordError } from '../../texts/password.ts'
import { isCustomer, mayHaveFactor, me } from '../../calls/session.ts'
import { useSubmit } from '../../calls/submit.ts'
import { timeZoneName } from '../../texts/time.tsx'
import type { OwnSession } from '../../state/types.ts'
import { Factors } from './factors.tsx'
import { loadOpenOrders } from './open-orders-later.ts'
import { RecoveryCodes } from './recovery-codes.tsx'

function Sessions() {
  const t = texts()
  const list = usePages<OwnSession>('/auth/sessions?limit=50')
  const ending = useSubmit()
  const [endedCount, setEndedCount] = useState<number>()
  async function end(sessions: readonly OwnSession[]): Promise<void> {
    let count = 0
    for (const { id } of sessions) {
      const path = `/auth/sessions/${id}`
      if (await ending.submit({ method: 'DELETE', path, isRepeatable: true })) count++
    }
    setEndedCount(count)
    list.again()
  }
  const others = list.data?.filter(({ current }) => !current) ?? []
  return (
    <Section title={t.security.sessions}>
      {endedCount !== undefined && (
        <Notice kind="good">{t.security.endedOthers(endedCount)}</Notice>
      )}
      <Listed of={list} none={t.security.onlyThis}>
        {(sessions) => (
          <Rows of={sessions}>
            {(session) => (
              <SessionRow of={session} isCurrent={session.current}>
                {!session.current && (
                  <Button
                    label={t.security.endOf(deviceOf(session))}
                    isBusy={ending.isBusy}
                    onClick={() => void end([session])}
                  >
                    {t.security.end}
                  </Button>
                )}
              </SessionRow>
            )}
          </Rows>
        )}
      </Listed>
      {list.data && <p class="quiet">{t.common.timesIn(timeZoneName())}</p>}
      {others.length > 1 && (
        <Button kind="danger" isBusy={ending.isBusy} onClick={() => void end(others)}>
          {t.security.endOthers}
        </Button>
      )}
      {list.data && others.length === 0 && <p>{t.security.onlyThis}</p>}
    </Section>
  )
}

const blank = { currentPassword: '', newPassword: '' }

function Password({ onChanged }: { onChanged: () => void }) {
  const t = texts()
  const [body, change] = useTyped(blank)
  const [own, accept] = useErrors()
  const changing = useSubmit()
  const errors = errorsOf(changing, own, {
    currentPassword: t.security.wrongPassword,
    newPassword: t.password.common,
  })
  async function submit(): Promise<void> {
    const newPassword = passwordError(body.newPassword, me.value?.username)
    if (!accept({ ...findBlank(body, 'currentPassword'), newPassword })) return
    const path = '/auth/password'
    const done = await changing.submit({ method: 'POST', path, body, isRepeatable: false })
    change(done ? blank : { currentPassword: '' })
    if (done) onChanged()
  }
  const field = bindFields(body, change, errors)
  return (
    <Section title={t.security.password}>
      {changing.state === 'done' && <Notice kind="good">{t.security.changed}</Notice>}
      <Form errors={errors} of={changing} onSubmit={() => void submit()}>
        <Field
          {...field('currentPassword')}
          label={t.security.currentPassword}
          type="password"
          autocomplete="current-password"
        />
        <Field
          {...field('newPassword')}
          label={t.password.new}
          hint={t.password.rules}
          type="password"
          autocomplete="new-password"
        />
        <Button kind="primary" type="submit" isBusy={changing.isBusy}>
          {t.security.password}
        </Button>
      </Form>
    </Section>
  )
}

export function Security() {
  const [turn, setTurn] = useState(0)
  const [told, setTold] = useState('')
  const [codes, setCodes] = useState<readonly string[]>()
  const again = () => setTurn((last) => last + 1)
  if (codes) return <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />
  return (
    <Screen title={texts().security.title}>
      {mayHaveFactor() && (
        <Factors
          key={`factors ${turn}`}
          told={told}
          onCodes={setCodes}
          onChanged={(done) => {
            setTold(done)
            again()
          }}
        />
      )}
      <Sessions key={turn} />
      {isCustomer() && <Later load={loadOpenOrders} with={{ filter: '' }} />}
      <Password onChanged={again} />
    </Screen>
  )
}
