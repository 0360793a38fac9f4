// The feed of events as programs read it: the newest, or from a number on, by type.
import { textOfWord } from '../../../../languages/words.ts'
import { useState } from 'preact/hooks'
import { UserText } from '../../parts/accounts.tsx'
import { Button, Loaded } from '../../parts/basic.tsx'
import { Field } from '../../parts/field.tsx'
import { FilterForm, useFilters } from '../../parts/filters.tsx'
import { bindFields } from '../../parts/form.tsx'
import { Table } from '../../parts/table.tsx'
import { useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { Time, timeZoneName } from '../../texts/time.tsx'
import type { Event } from '../../state/types.ts'
import { eventTypes } from './event-types.ts'
import { ProgramsScreen } from './programs-screen.tsx'

type EventList = { items: Event[]; nextAfter: string }

/** Numbers that one view covers. */
const span = 100

/** What an event is about: a link where staff have a page of it. */
function About({ of: { type, resourceId, accountIds } }: { of: Event }) {
  const t = texts().feed
  const [kind = ''] = type.split('.')
  const accounts = accountIds.filter((id) => id !== resourceId)
  const shown = resourceId && <span class="code">{resourceId}</span>
  return (
    <>
      {resourceId && kind === 'transfer' ? (
        <a href={to('staffTransfer', { transferId: resourceId })}>{shown}</a>
      ) : resourceId && kind === 'account' ? (
        <a href={to('staffAccount', { accountId: resourceId })}>{shown}</a>
      ) : (
        (shown ?? t.allSessions)
      )}
      {accounts.map((id) => (
        <div key={id}>
          {t.account}{' '}
          <a class="code" href={to('staffAccount', { accountId: id })}>
            {id}
          </a>
        </div>
      ))}
    </>
  )
}

function EventTable({ events }: { events: readonly Event[] }) {
  const t = texts().feed
  return (
    <Table
      caption={t.caption}
      rows={events}
      keyOf={({ number }) => number}
      columns={[
        { name: t.number, isNumber: true, cell: ({ number }) => number },
        { name: t.type, isRowHeader: true, cell: ({ type }) => textOfWord(t.types, type, type) },
        { name: t.at, cell: ({ at }) => <Time at={at} /> },
        {
          name: t.holder,
          cell: ({ holders = [] }) =>
            [...new Set(holders)].map((name) => (
              <div key={name}>
                <UserText>{name}</UserText>
              </div>
            )),
        },
        { name: t.about, cell: (of) => <About of={of} /> },
      ]}
    />
  )
}

/** A part of the feed: the numbers after `after`, as many as fit, the newest first. */
function Part({ after, types }: { after: bigint; types: string }) {
  const t = texts().feed
  const of = types && `&types=${encodeURIComponent(types)}`
  const read = useRead<EventList>(`/events?after=${after}&limit=${span}&names=true${of}`)
  return (
    <Loaded of={read} lines={8}>
      {({ items }) => {
        const within = items.filter(({ number }) => BigInt(number) <= after + BigInt(span))
        if (within.length === 0)
          return <p class="quiet">{t.noneHere(after + 1n, after + BigInt(span))}</p>
        return <EventTable events={within.toReversed()} />
      }}
    </Loaded>
  )
}

/** A part of the feed, from which one steps to the one before and the one behind. */
function Feed({ types, from }: { types: string; from: bigint | undefined }) {
  const t = texts()
  const last = useRead<EventList>('/events?after=last&limit=1')
  const [steps, setSteps] = useState(0n)
  return (
    <Loaded of={last} lines={8}>
      {({ nextAfter }) => {
        const newest = BigInt(nextAfter)
        const first = from === undefined ? newest - BigInt(span) : from - 1n
        const wanted = first - steps * BigInt(span)
        const after = wanted < 0n ? 0n : wanted > newest ? newest : wanted
        return (
          <>
            <Part key={`${after} ${types}`} after={after} types={types} />
            <div class="actions">
              {after > 0n && <Button onClick={() => setSteps(steps + 1n)}>{t.feed.earlier}</Button>}
              {after + BigInt(span) < newest && (
                <Button onClick={() => setSteps(steps - 1n)}>{t.feed.later}</Button>
              )}
              <Button isBusy={last.isLoading} onClick={last.again}>
                {t.webhooks.reload}
              </Button>
            </div>
          </>
        )
      }}
    </Loaded>
  )
}

export function Events() {
  const t = texts()
  const filters = useFilters(['types', 'from'])
  const { types, from } = filters.applied
  const field = bindFields(filters.typed, filters.type)
  const isNumber = /^[1-9]\d{0,17}$/.test(from)
  return (
    <ProgramsScreen of="events">
      <section class="card">
        <p class="quiet">{t.feed.meaning}</p>
        <FilterForm of={filters} isUnfolded={from !== '' && !isNumber}>
          <Field
            {...field('types')}
            label={t.feed.type}
            options={[
              ['', t.feed.any],
              ...eventTypes.map((type) => [type, t.feed.types[type]] as const),
            ]}
          />
          <Field
            {...field('from')}
            label={t.feed.from}
            inputMode="numeric"
            maxLength={18}
            error={from !== '' && !isNumber ? t.feed.badNumber : undefined}
          />
        </FilterForm>
        <Feed key={filters.query} types={types} from={isNumber ? BigInt(from) : undefined} />
        <p class="quiet small">{t.common.timesIn(timeZoneName())}</p>
      </section>
    </ProgramsScreen>
  )
}
