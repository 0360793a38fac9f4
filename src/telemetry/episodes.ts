// Faults that come as single events, one for each request that meets them. A person at night needs
// to know when they began and whether they are over: a line at the first, and one when there was
// none for a minute.
import type { Clock } from '../domain/clock.ts'
import type { Event, Log } from './log.ts'

const diskFullState = '53100'

type Kind = {
  /** Left out where the line of the fault says it. */
  begin?: string
  end: string
  /** Whether a line of the log tells of such a fault. */
  isOne(event: Event, message: string): boolean
}

export const episodeKinds = {
  diskFull: {
    begin: 'the disk of the database is full',
    end: 'the disk of the database has room again',
    isOne: ({ error }) => error?.state === diskFullState,
  },
  outcomeUnknown: {
    begin: 'outcomes of changes are not known',
    end: 'no outcome was unknown for a minute',
    isOne: ({ code }) => code === 'outcome_unknown',
  },
  defect: {
    begin: 'a defect fails requests',
    end: 'no request failed by a defect for a minute',
    isOne: ({ code }, message) => code === 'internal_error' || message === 'unhandled rejection',
  },
  mailGivenUp: {
    end: 'no mail was given up for a minute',
    isOne: (_event, message) => message === 'mail given up',
  },
} as const satisfies Record<string, Kind>

export type EpisodeKind = keyof typeof episodeKinds

export type Episodes = {
  isOpen(kind: EpisodeKind): boolean
  /** One more fault of that kind, which no line of the log tells of. */
  note(kind: EpisodeKind): void
  stop(): void
}

const quietMs = 60_000
const tickIntervalMs = 1000

/** Tells of the faults that the log is given from now on. */
export function watchEpisodes(log: Log, clock: Pick<Clock, 'monotonic'>): Episodes {
  const open = new Map<EpisodeKind, { lastAt: number; count: number }>()
  const kinds = Object.entries(episodeKinds) as [EpisodeKind, Kind][]

  function note(kind: EpisodeKind): void {
    const episode = open.get(kind) ?? { lastAt: 0, count: 0 }
    const isFirst = episode.count++ === 0
    episode.lastAt = clock.monotonic()
    open.set(kind, episode)
    const { begin }: Kind = episodeKinds[kind]
    if (isFirst && begin !== undefined) log.error({}, begin)
  }

  log.onFault((_level, event, message) => {
    for (const [kind, { isOne }] of kinds) if (isOne(event, message)) note(kind)
  })
  const timer = setInterval(() => {
    for (const [kind, { lastAt, count }] of open) {
      if (clock.monotonic() - lastAt < quietMs) continue
      open.delete(kind)
      log.over('error', { faultCount: count }, episodeKinds[kind].end)
    }
  }, tickIntervalMs).unref()

  return { isOpen: (kind) => open.has(kind), note, stop: () => clearInterval(timer) }
}
