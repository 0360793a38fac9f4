// The newest events of the audit trail about a person and by that person, with links to all of
// them.
import { UserText } from '../../parts/accounts.tsx'
import { Loaded, Section } from '../../parts/basic.tsx'
import { Rows } from '../../parts/list.tsx'
import { useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { Time } from '../../texts/time.tsx'
import type { AuditEvent, List, User } from '../../state/types.ts'
import { actionName, OutcomeBadge } from './audit-detail.tsx'

function Extract({ filter, title, all }: { filter: string; title: string; all: string }) {
  const t = texts().customer
  const read = useRead<List<AuditEvent>>(`/admin/audit-events?${filter}&limit=5`)
  return (
    <Section title={title} actions={<a href={`${to('audit')}?${filter}`}>{all}</a>}>
      <Loaded of={read}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="quiet">{t.noEvents}</p>
          ) : (
            <Rows of={items}>
              {(event) => (
                <>
                  <div>
                    {actionName(event)}
                    {event.detail && (
                      <p class="quiet">
                        <UserText>{event.detail}</UserText>
                      </p>
                    )}
                  </div>
                  <span>
                    {event.outcome !== 'success' && <OutcomeBadge of={event} />}{' '}
                    <Time at={event.at} />
                  </span>
                </>
              )}
            </Rows>
          )
        }
      </Loaded>
    </Section>
  )
}

export function AuditExtract({ user: { id } }: { user: User }) {
  const t = texts().customer
  return (
    <div class="grid">
      <Extract filter={`target=${id}`} title={t.eventsAbout} all={t.allAbout} />
      <Extract filter={`actorId=${id}`} title={t.eventsBy} all={t.allBy} />
    </div>
  )
}
