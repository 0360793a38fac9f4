// Where the person is signed in, and the password.
import { useState } from 'preact/hooks'
import { Badge, Button, Loaded, More, Notice, Screen, Section } from '../../parts/basic.tsx'
import { errorsOf, Field, Form } from '../../parts/form.tsx'
import { usePages } from '../../call.ts'
import { texts } from '../../language.ts'
import { useSubmit } from '../../submit.ts'
import { Time, timeZoneName } from '../../time.tsx'
import type { OwnSession } from '../../types.ts'

function Sessions() {
  const t = texts()
  const list = usePages<OwnSession>('/auth/sessions?limit=50')
  const ending = useSubmit()
  const [endedCount, setEndedCount] = useState<number>()
  const end = async (session: OwnSession) => {
    const path = `/auth/sessions/${session.id}`
    let isGone = false
    const change = { method: 'DELETE', path, isRepeatable: true } as const
    // A session that has ended meanwhile is gone as well.
    const done = await ending.submit(change, ({ status }) => (isGone = status === 404))
    return done !== undefined || isGone
  }
  async function endAll(sessions: readonly OwnSession[]): Promise<void> {
    let count = 0
    for (const session of sessions) if (await end(session)) count++
    setEndedCount(count)
    list.again()
  }
  return (
    <Section title={t.security.sessions}>
      {endedCount !== undefined && (
        <Notice kind="good">{t.security.endedOthers(endedCount)}</Notice>
      )}
      <Loaded of={{ ...list, data: list.items }}>
        {(sessions) => {
          const others = sessions.filter(({ current }) => !current)
          return (
            <>
              <ul class="rows">
                {sessions.map((session) => {
                  const device = session.device ?? t.security.unknownDevice
                  return (
                    <li key={session.id}>
                      <div>
                        <strong>{device}</strong>{' '}
                        {session.current && <Badge kind="good">{t.security.current}</Badge>}
                        <p class="quiet">
                          {t.security.started} <Time at={session.createdAt} /> ·{' '}
                          {t.security.lastUsed} <Time at={session.lastUsedAt} />
                        </p>
                      </div>
                      {!session.current && (
                        <Button
                          label={t.security.endOf(device)}
                          isBusy={ending.isBusy}
                          onClick={() => void endAll([session])}
                        >
                          {t.security.end}
                        </Button>
                      )}
                    </li>
                  )
                })}
              </ul>
              <p class="quiet">{t.common.timesIn(timeZoneName())}</p>
              <More of={list} />
              {others.length > 1 && (
                <Button kind="danger" isBusy={ending.isBusy} onClick={() => void endAll(others)}>
                  {t.security.endOthers}
                </Button>
              )}
              {others.length === 0 && <p>{t.security.onlyThis}</p>}
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}

function Password({ onChanged }: { onChanged: () => void }) {
  const t = texts()
  const [currentPassword, setCurrent] = useState('')
  const [newPassword, setNew] = useState('')
  const [isChecked, setChecked] = useState(false)
  const changing = useSubmit()
  const required = (value: string) => (isChecked && value === '' ? t.form.required : undefined)
  const errors = errorsOf(
    changing,
    { currentPassword: required(currentPassword), newPassword: required(newPassword) },
    { currentPassword: t.security.wrongPassword, newPassword: t.reset.unfit },
  )
  async function submit(): Promise<void> {
    setChecked(true)
    if (currentPassword === '' || newPassword === '') return
    const body = { currentPassword, newPassword }
    const change = { method: 'POST', path: '/auth/password', body, isRepeatable: false } as const
    const done = await changing.submit(change)
    setChecked(false)
    setCurrent('')
    if (!done) return
    setNew('')
    onChanged()
  }
  return (
    <Section title={t.security.password}>
      {changing.state === 'done' && <Notice kind="good">{t.security.changed}</Notice>}
      <Form errors={errors} of={changing} onSubmit={() => void submit()}>
        <Field
          name="currentPassword"
          label={t.security.currentPassword}
          type="password"
          autocomplete="current-password"
          value={currentPassword}
          onInput={setCurrent}
          error={errors['currentPassword']}
        />
        <Field
          name="newPassword"
          label={t.security.newPassword}
          hint={t.reset.rules}
          type="password"
          autocomplete="new-password"
          value={newPassword}
          onInput={setNew}
          error={errors['newPassword']}
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
  return (
    <Screen title={texts().security.title}>
      <Sessions key={turn} />
      <Password onChanged={() => setTurn((last) => last + 1)} />
    </Screen>
  )
}
