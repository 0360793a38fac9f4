// The newest events of the audit trail about a person and by that person, with links to all of
// them.
import { Loaded, Section } from '../../parts/basic.tsx'
import { Rows } from '../../parts/list.tsx'
import { type Read, useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { Time } from '../../texts/time.tsx'
import type { AuditEvent, List, User } from '../../state/types.ts'
import { toDetail } from './audit-detail.tsx'
import {
  actionName,
  type Names,
  OutcomeBadge,
  PersonName,
  useNames,
  userEntry,
} from './audit-names.tsx'

type Events = Read<List<AuditEvent>>
type Props = { of: Events; filter: string; title: string; all: string; names: Names }

function Extract({ of: read, filter, title, all, names }: Props) {
  const t = texts().customer
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
                    {toDetail(event) && <p class="quiet">{toDetail(event)}</p>}
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

const useNewest = (filter: string): Events =>
  useRead<List<AuditEvent>>(`/admin/audit-events?${filter}&limit=5`)

export function AuditExtract({ user }: { user: User }) {
  const t = texts().customer
  const [about, by] = [`target=${user.id}`, `actorId=${user.id}`]
  const [eventsAbout, eventsBy] = [useNewest(about), useNewest(by)]
  const actors = (eventsAbout.data?.items ?? []).map(({ actorId }) => actorId)
  const others = useNames(actors.filter((id) => id !== user.id))
  const names = new Map([...others, userEntry(user)])
  return (
    <div class="grid">
      <Extract
        of={eventsAbout}
        filter={about}
        title={t.eventsAbout}
        all={t.allAbout}
        names={names}
      />
      <Extract of={eventsBy} filter={by} title={t.eventsBy} all={t.allBy} names={names} />
    </div>
  )
}
