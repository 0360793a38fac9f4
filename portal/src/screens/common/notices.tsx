// Which mails a customer is sent: those that can be switched off, and those that are always sent.
import { useRead } from '../../calls/call.ts'
import { useListChanges } from '../../calls/submit.ts'
import { Loaded, Notice } from '../../parts/basic.tsx'
import { Check } from '../../parts/field.tsx'
import { Outcome } from '../../parts/form.tsx'
import { Fold } from '../../parts/fold.tsx'
import { OwnEmail } from './own-email.tsx'
import type { Notices } from '../../state/types.ts'
import { texts } from '../../texts/language.ts'

const path = '/me/notices'

/** Where a customer is sent mails, and which. */
export const OwnMails = () => (
  <>
    <OwnEmail />
    <NoticeChoices />
  </>
)

function NoticeChoices() {
  const t = texts().notices
  const read = useRead<Notices>(path)
  const { told, change, ...changing } = useListChanges(read)
  const choose = (kind: string, isWanted: boolean) => {
    const notices = [{ kind, channel: isWanted ? 'mail' : 'off' }]
    return change({ method: 'PUT', path, body: { notices } }, t.saved)
  }
  return (
    <>
      <div class="card narrow">
        <h2>{t.title}</h2>
        <p class="quiet">{t.hint}</p>
        {told && <Notice kind="good">{told}</Notice>}
        <Outcome of={changing} />
        <Loaded of={read} lines={6}>
          {({ notices }) => (
            <div class="column">
              {Object.entries(t.chosen).map(([kind, label]) => (
                <Check
                  key={kind}
                  label={label}
                  checked={notices.some((one) => one.kind === kind && one.channel === 'mail')}
                  onChange={(isWanted) => void choose(kind, isWanted)}
                />
              ))}
            </div>
          )}
        </Loaded>
      </div>
      <div class="narrow">
        <Fold title={t.fixed}>
          <ul>
            {Object.entries(t.fixedKinds).map(([kind, label]) => (
              <li key={kind}>{label}</li>
            ))}
          </ul>
        </Fold>
      </div>
    </>
  )
}
