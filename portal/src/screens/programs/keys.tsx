// The live keys of a service account. A new one is shown once; each can be revoked at once.
import { useState } from 'preact/hooks'
import { Button, Notice, Section } from '../../parts/basic.tsx'
import { Question } from '../../parts/dialog.tsx'
import { Outcome } from '../../parts/form.tsx'
import { Rows } from '../../parts/list.tsx'
import { texts } from '../../texts/language.ts'
import { isAdmin } from '../../calls/session.ts'
import { useListChanges, useSubmit } from '../../calls/submit.ts'
import { Time } from '../../texts/time.tsx'
import type { IssuedServiceKey, ServiceAccount } from '../../state/types.ts'
import { ShownOnce } from './shown-once.tsx'

const keysMax = 2

type Props = { of: ServiceAccount; again: () => void }

export function Keys({ of: { id, name, keys }, again }: Props) {
  const t = texts().programs
  const [asked, setAsked] = useState<string>()
  const [made, setMade] = useState<IssuedServiceKey>()
  const issuing = useSubmit<IssuedServiceKey>()
  const revoking = useListChanges({ again })
  const path = `/admin/service-accounts/${id}/keys`
  async function issue(): Promise<void> {
    const done = await issuing.submit({ method: 'POST', path, isRepeatable: false })
    if (done) setMade(done.result)
    issuing.reset()
    again()
  }
  async function revoke(keyId: string): Promise<void> {
    setAsked(undefined)
    await revoking.change({ method: 'DELETE', path: `${path}/${keyId}` }, t.revoked)
  }
  return (
    <>
      {made && (
        <ShownOnce
          title={t.keyOf(name)}
          name={t.key}
          secret={made.key}
          text={t.keyMeaning}
          onClose={() => setMade(undefined)}
        />
      )}
      <Section
        title={t.keys}
        actions={
          isAdmin() &&
          keys.length < keysMax && (
            <Button isBusy={issuing.isBusy} onClick={() => void issue()}>
              {t.issue}
            </Button>
          )
        }
      >
        {revoking.told && <Notice kind="good">{revoking.told}</Notice>}
        <Outcome of={issuing} />
        <Outcome of={revoking} />
        <p class="quiet">{t.keysMeaning}</p>
        {keys.length === 0 && <p>{t.noKeys}</p>}
        <Rows of={keys}>
          {({ id: keyId, createdAt, lastUsedAt }) => (
            <>
              <div>
                <span class="code">…{keyId.slice(-6)}</span>
                <p class="quiet">
                  {t.issuedAt} <Time at={createdAt} /> · {t.lastUsed}{' '}
                  {lastUsedAt ? <Time at={lastUsedAt} /> : t.never}
                </p>
              </div>
              {isAdmin() && (
                <Button
                  label={`${t.revoke} …${keyId.slice(-6)}`}
                  isBusy={revoking.isBusy}
                  onClick={() => setAsked(keyId)}
                >
                  {t.revoke}
                </Button>
              )}
            </>
          )}
        </Rows>
        {asked && (
          <Question
            title={t.revoke}
            confirm={t.revoke}
            onConfirm={() => void revoke(asked)}
            onClose={() => setAsked(undefined)}
          >
            <p>{t.revokeText}</p>
          </Question>
        )}
      </Section>
    </>
  )
}
