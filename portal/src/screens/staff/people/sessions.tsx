// Where a person is signed in. Administrators end one session or all of them, at once.
import { useState } from 'preact/hooks'
import { nameOf } from '../../../parts/accounts.tsx'
import { Button, Notice, Section } from '../../../parts/basic.tsx'
import { Question } from '../../../parts/dialog.tsx'
import { Outcome } from '../../../parts/form.tsx'
import { Listed, Rows } from '../../../parts/list.tsx'
import { Menu } from '../../../parts/menu.tsx'
import { deviceOf, SessionRow } from '../../../parts/sessions.tsx'
import { usePages } from '../../../calls/call.ts'
import { texts } from '../../../texts/language.ts'
import { to } from '../../../state/paths.ts'
import { isAdmin } from '../../../calls/session.ts'
import { useListChanges } from '../../../calls/submit.ts'
import type { User, UserSession } from '../../../state/types.ts'

export function Sessions({ user, isOwn }: { user: User; isOwn: boolean }) {
  const t = texts().customer
  const list = usePages<UserSession>(`/admin/users/${user.id}/sessions?limit=50`)
  const ending = useListChanges(list)
  const [isAsking, setAsking] = useState(false)
  const end = (path: string, done: string) => ending.change({ method: 'DELETE', path }, done)
  async function endAll(): Promise<void> {
    await end(`/admin/users/${user.id}/sessions`, t.endedAll)
    setAsking(false)
  }
  const mayEnd = isAdmin() && !isOwn
  return (
    <Section
      title={t.sessions}
      actions={
        mayEnd &&
        (list.data?.length ?? 0) > 0 && (
          <Menu of={t.sessions}>
            <Button kind="danger" onClick={() => setAsking(true)}>
              {t.endAll}
            </Button>
          </Menu>
        )
      }
    >
      {ending.told && <Notice kind="good">{ending.told}</Notice>}
      {!isAsking && <Outcome of={ending} />}
      {isOwn && (
        <p>
          {t.ownSessions} <a href={to('security')}>{texts().nav.security}</a>
        </p>
      )}
      <Listed of={list} none={t.noSessions}>
        {(sessions) => (
          <Rows of={sessions}>
            {(session) => {
              const device = deviceOf(session)
              const path = `/admin/sessions/${session.id}`
              return (
                <SessionRow of={session}>
                  {mayEnd && (
                    <Button
                      label={t.endOf(device)}
                      isBusy={ending.isBusy}
                      onClick={() => void end(path, t.endedOne(device))}
                    >
                      {t.end}
                    </Button>
                  )}
                </SessionRow>
              )
            }}
          </Rows>
        )}
      </Listed>
      {isAsking && (
        <Question
          title={t.endAll}
          confirm={t.endAll}
          isBusy={ending.isBusy}
          onConfirm={() => void endAll()}
          onClose={() => setAsking(false)}
        >
          <p>{t.endAllText(nameOf(user))}</p>
        </Question>
      )}
    </Section>
  )
}
