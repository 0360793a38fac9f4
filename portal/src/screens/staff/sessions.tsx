// Where a person is signed in. Administrators end one session or all of them, at once.
import { useState } from 'preact/hooks'
import { Button, Dialog, FailureNotice, Loaded, More, Notice, Section } from '../../parts/basic.tsx'
import { usePages } from '../../call.ts'
import { texts } from '../../language.ts'
import { to } from '../../pages.ts'
import { isAdmin } from '../../session.ts'
import { useSubmit } from '../../submit.ts'
import { Time } from '../../time.tsx'
import type { User, UserSession } from '../../types.ts'
import { nameOf } from './words.tsx'

export function Sessions({ user, isOwn }: { user: User; isOwn: boolean }) {
  const t = texts().customer
  const list = usePages<UserSession>(`/admin/users/${user.id}/sessions?limit=50`)
  const ending = useSubmit()
  const [told, setTold] = useState<string>()
  const [isAsking, setAsking] = useState(false)
  async function end(path: string, message: string): Promise<void> {
    setTold(undefined)
    const done = await ending.submit({ method: 'DELETE', path, isRepeatable: true })
    setAsking(false)
    if (done) setTold(message)
    list.again()
  }
  const mayEnd = isAdmin() && !isOwn
  // A session that has ended meanwhile is what was wanted.
  const failure = ending.failure?.code === 'not_found' ? undefined : ending.failure
  return (
    <Section
      title={t.sessions}
      actions={
        mayEnd &&
        (list.items?.length ?? 0) > 0 && (
          <Button kind="danger" onClick={() => setAsking(true)}>
            {t.endAll}
          </Button>
        )
      }
    >
      {told && <Notice kind="good">{told}</Notice>}
      {failure && !isAsking && <FailureNotice failure={failure} />}
      {isOwn && (
        <p>
          {t.ownSessions} <a href={to('security')}>{texts().nav.security}</a>
        </p>
      )}
      <Loaded of={{ ...list, data: list.items }}>
        {(sessions) =>
          sessions.length === 0 ? (
            <p class="quiet">{t.noSessions}</p>
          ) : (
            <ul class="rows">
              {sessions.map(({ id, device, createdAt, lastUsedAt }) => {
                const shown = device ?? texts().security.unknownDevice
                return (
                  <li key={id}>
                    <div>
                      <strong>{shown}</strong>
                      <p class="quiet">
                        {texts().security.started} <Time at={createdAt} />
                        <br />
                        {texts().security.lastUsed} <Time at={lastUsedAt} />
                      </p>
                    </div>
                    {mayEnd && (
                      <Button
                        label={t.endOf(shown)}
                        isBusy={ending.isBusy}
                        onClick={() => void end(`/admin/sessions/${id}`, t.endedOne(shown))}
                      >
                        {t.end}
                      </Button>
                    )}
                  </li>
                )
              })}
            </ul>
          )
        }
      </Loaded>
      <More of={list} />
      {isAsking && (
        <Dialog title={t.endAll} onClose={() => setAsking(false)}>
          <p>{t.endAllText(nameOf(user))}</p>
          <div class="actions">
            <Button
              kind="danger"
              isBusy={ending.isBusy}
              onClick={() => void end(`/admin/users/${user.id}/sessions`, t.endedAll)}
            >
              {t.endAll}
            </Button>
            <Button onClick={() => setAsking(false)}>{texts().common.cancel}</Button>
          </div>
        </Dialog>
      )}
    </Section>
  )
}
