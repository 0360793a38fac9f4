// The audit trail: every filter is in the address, so the address is a permanent link.
import { UserText } from '../../parts/accounts.tsx'
import { Button, Screen, Section } from '../../parts/basic.tsx'
import { FilterForm, type Filters, useFilters } from '../../parts/filters.tsx'
import { Check, Field } from '../../parts/field.tsx'
import { bindFields, type Errors, hasErrors, useErrors } from '../../parts/form.tsx'
import { Later } from '../../parts/later.tsx'
import { Listed } from '../../parts/list.tsx'
import { Table } from '../../parts/table.tsx'
import { usePages, useRead } from '../../calls/call.ts'
import { loadTexts, texts } from '../../texts/language.ts'
import { changeQuery, readQuery } from '../../state/router.ts'
import { isId } from '../../texts/is-id.ts'
import { bankZoneName, formatTime, Time, timeZoneName } from '../../texts/time.tsx'
import type { AuditEvent } from '../../state/types.ts'
import { actionName, type Names, OutcomeBadge, PersonName, useShownNames } from './audit-names.tsx'
import { findPerson } from './finding/find-person.ts'

async function loadDetail() {
  const loading = [import('./audit-detail.tsx'), loadTexts('auditDetails', 'disputes')] as const
  const [{ AuditDetail }] = await Promise.all(loading)
  return AuditDetail
}

/** `reads`: not the changes alone; the page's own, no filter of the API. */
const filterNames = [
  'actorId',
  'action',
  'target',
  'outcome',
  'requestId',
  'from',
  'to',
  'reads',
] as const
type FilterName = (typeof filterNames)[number]

/** One event is part of the address as well. */
const showEvent = (id = ''): void => changeQuery({ event: id })

/** The event in the address: from the list, or read by itself; undefined: there is none. */
function useOpenEvent(listed: readonly AuditEvent[] | undefined) {
  const id = readQuery().get('event')
  const data = listed?.find((event) => event.id === id)
  const isRead = id !== null && listed !== undefined && data === undefined
  const read = useRead<AuditEvent>(
    isRead ? `/admin/audit-events/${encodeURIComponent(id)}?names=true` : undefined,
  )
  if (id === null) return undefined
  return data ? { ...read, data } : read
}

type FormProps = { filters: Filters<FilterName>; refused: readonly string[] }

function FilterFields({ filters, refused }: FormProps) {
  const t = texts().audit
  const { typed, type } = filters
  const [errors, accept] = useErrors()
  const known = Object.entries(t.actions).toSorted(([, one], [, other]) => one.localeCompare(other))
  const isKnown = typed.action === '' || typed.action in t.actions
  const any = [['', t.any]] as const
  const unfit: Errors = {
    actorId: t.unfitId,
    target: t.unfitId,
    requestId: t.unfitId,
    from: t.unfitTime,
    to: t.unfitTime,
  }
  const ofApi = refused.map((name): [string, string | undefined] => [name, unfit[name]])
  const of = bindFields(typed, type, { ...Object.fromEntries(ofApi), ...errors })
  async function apply(): Promise<void> {
    const actorId = await findPerson(typed.actorId)
    const unfitId = (text: string) =>
      text.trim() === '' || isId(text.trim()) ? undefined : t.unfitId
    const found = {
      actorId: actorId === undefined ? t.unknownPerson : undefined,
      target: unfitId(typed.target),
      requestId: unfitId(typed.requestId),
    }
    if (accept(found)) filters.apply({ actorId: actorId as string })
  }
  return (
    <FilterForm
      of={filters}
      onApply={() => void apply()}
      isUnfolded={refused.length > 0 || hasErrors(errors)}
    >
      <Field {...of('actorId')} label={t.person} hint={t.personHint} />
      <Field
        {...of('action')}
        label={t.action}
        options={[...any, ...(isKnown ? [] : [[typed.action, typed.action] as const]), ...known]}
      />
      <Field
        {...of('outcome')}
        label={t.outcome}
        options={[...any, ...Object.entries(t.outcomes)]}
      />
      <Field {...of('target')} label={t.target} hint={t.targetHint} />
      <Field {...of('requestId')} label={t.request} hint={t.requestHint} />
      <Field {...of('from')} label={t.from} hint={t.dayHint(bankZoneName)} type="date" />
      <Field {...of('to')} label={t.to} hint={t.dayHint(bankZoneName)} type="date" />
    </FilterForm>
  )
}

type EventsProps = {
  events: readonly AuditEvent[]
  names: Names
  onOpen: (event: AuditEvent) => void
}

function Events({ events, names, onOpen }: EventsProps) {
  const t = texts().audit
  return (
    <Table
      caption={t.caption}
      rows={events}
      keyOf={({ id }) => id}
      columns={[
        { name: t.time, cell: ({ at }) => <Time at={at} style="exact" /> },
        { name: t.person, cell: (event) => <PersonName of={event} names={names} /> },
        {
          name: t.action,
          isRowHeader: true,
          cell: (event) => <span class="cut">{actionName(event)}</span>,
        },
        {
          name: t.about,
          cell: ({ targetName }) => targetName && <UserText>{targetName}</UserText>,
        },
        { name: t.outcome, place: 'end', cell: (event) => <OutcomeBadge of={event} /> },
        {
          name: t.details,
          cell: (event) => (
            <Button
              kind="link"
              label={t.detailsOf(actionName(event), formatTime(event.at, 'exact'))}
              onClick={() => onOpen(event)}
            >
              {t.details}
            </Button>
          ),
        },
      ]}
    />
  )
}

export function Audit() {
  const t = texts()
  const filters = useFilters(filterNames)
  const withReads = filters.applied.reads !== ''
  const query = filters.query.replace('&reads=true', '')
  // Who asks for one operation wants to see it, whatever it is.
  const changes = withReads || filters.applied.action !== '' ? '' : '&changes=true'
  const list = usePages<AuditEvent>(`/admin/audit-events?limit=50&names=true${changes}${query}`)
  const open = useOpenEvent(list.data)
  const shown = [...(list.data ?? []), ...(open?.data ? [open.data] : [])]
  const names = useShownNames(shown)
  const refused = list.failure?.code === 'invalid_request' ? list.failure.fields : []
  return (
    <Screen title={t.nav.audit}>
      <Section title={t.audit.events}>
        <FilterFields filters={filters} refused={refused} />
        <Check
          label={t.audit.changesOnly}
          checked={!withReads}
          onChange={(isOn) => filters.apply({ reads: isOn ? '' : 'true' })}
        />
        <Listed of={list} none={t.audit.none} lines={8}>
          {(events) => (
            <>
              <p role="status" class="quiet">
                {t.audit.shown(events.length, list.more !== undefined)}
              </p>
              <Events events={events} names={names} onOpen={({ id }) => showEvent(id)} />
            </>
          )}
        </Listed>
        <p class="quiet small">
          {t.common.timesIn(timeZoneName())} {t.audit.link}
        </p>
      </Section>
      {open && (
        <Later load={loadDetail} with={{ of: open, names, onClose: () => showEvent(undefined) }} />
      )}
    </Screen>
  )
}
