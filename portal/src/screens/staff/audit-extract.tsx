// The newest events of the audit trail about a person and by that person, with links to all of
// them.
import { Loaded, Section } from '../../parts/basic.tsx'
import { Rows } from '../../parts/list.tsx'
import { useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { Time } from '../../texts/time.tsx'
import type { AuditEvent, List, User } from '../../state/types.ts'
import {
  actionName,
  Detail,
  type Names,
  OutcomeBadge,
  PersonName,
  useNames,
} from './audit-detail.tsx'

type Props = { filter: string; title: string; all: string; names: Names }

function Extract({ filter, title, all, names }: Props) {
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
                    <p class="quiet small">
                      {texts().audit.person}: <PersonName of={event} names={names} />
                    </p>
                    {event.detail && (
                      <p class="quiet">
                        <Detail of={event} />
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

export function AuditExtract({ user }: { user: User }) {
  const t = texts().customer
  const { id, username } = user
  const names = new Map([...useNames(), [id, username]])
  return (
    <div class="grid">
      <Extract filter={`target=${id}`} title={t.eventsAbout} all={t.allAbout} names={names} />
      <Extract filter={`actorId=${id}`} title={t.eventsBy} all={t.allBy} names={names} />
    </div>
  )
}
