// Faults that come as single events, one for each request that meets them. A person at night needs
// to know when they began and whether they are over: a line at the first, and one when there was
// none for a minute.
import type { LockHolder } from '../database/connections/lock-holder.ts'
import type { Clock } from '../domain/clock.ts'
import { type FindHolder, openDiagnosis } from './diagnosis.ts'
import type { Event, Log } from './log.ts'
import { isTold, outages, type ToldCause, toldCauses } from './outages.ts'

type Kind = {
  /** Left out where the line of the fault says it. */
  begin?: string
  end: string
  /** Whether a line of the log tells of such a fault. */
  isOne(event: Event, message: string): boolean
}

/** Faults beside the causes for which requests are refused. */
export const faultKinds = {
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

type Fault = keyof typeof faultKinds
const episodeKinds = { ...faultKinds, ...outages }
export type EpisodeKind = keyof typeof episodeKinds

export type Episodes = {
  isOpen(kind: EpisodeKind): boolean
  /** The causes for which requests were refused within the last minute. */
  causes(): ToldCause[]
  /** One more fault of that kind, which no line of the log tells of. */
  note(kind: EpisodeKind): void
  stop(): void
}

const diskFullState = '53100'
const quietMs = 60_000
const tickIntervalMs = 1000

type Episode = { beganAt: number; lastAt: number; count: number; holder: string | undefined }

/** Tells of the faults that the log is given from now on. */
export function watchEpisodes(
  log: Log,
  clock: Pick<Clock, 'monotonic'>,
  findHolder: FindHolder = () => Promise.resolve(undefined),
): Episodes {
  const open = new Map<EpisodeKind, Episode>()
  let isChecking = false
  let isStopped = false

  /** Counts the fault, which may be the first of its episode. */
  function count(kind: EpisodeKind): { isFirst: boolean; episode: Episode } {
    const now = clock.monotonic()
    const found = open.get(kind)
    const episode = found ?? { beganAt: now, lastAt: now, count: 0, holder: undefined }
    episode.lastAt = now
    episode.count++
    open.set(kind, episode)
    return { isFirst: found === undefined, episode }
  }

  function note(kind: EpisodeKind): void {
    const { isFirst } = count(kind)
    if (isFirst) tellBegin(log, kind)
  }

  const diagnosis = openDiagnosis(clock, findHolder, (cause, holder) => {
    if (isStopped) return
    if (holder) tellHolder(log, count('lock').episode, holder)
    else note(cause)
  })

  log.onFault((_level, event, message) => {
    if (message === 'refused' && isTold(event.cause)) diagnosis.judge(event.cause)
    else if (event.error?.state === diskFullState) note('disk')
    const kinds = Object.entries(faultKinds) as [Fault, Kind][]
    for (const [kind, { isOne }] of kinds) if (isOne(event, message)) note(kind)
  })

  function endQuiet(): void {
    for (const [kind, episode] of open) {
      if (clock.monotonic() - episode.lastAt < quietMs) continue
      if (episode.holder === undefined) end(kind, episode)
      else void endUnlessHeld(kind, episode, episode.holder)
    }
  }

  /** A session may hold the lock still, while no request needs what it locks. */
  async function endUnlessHeld(kind: EpisodeKind, episode: Episode, name: string): Promise<void> {
    if (isChecking) return
    isChecking = true
    const isHeld = await isStillHeld(findHolder, name)
    isChecking = false
    if (isHeld) episode.lastAt = clock.monotonic()
    else if (!isStopped) end(kind, episode)
  }

  function end(kind: EpisodeKind, episode: Episode): void {
    open.delete(kind)
    tellEnd(log, kind, episode)
  }

  const timer = setInterval(endQuiet, tickIntervalMs).unref()

  return {
    isOpen: (kind) => open.has(kind),
    causes: () => toldCauses.filter((cause) => open.has(cause)),
    note,
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}

function tellBegin(log: Log, kind: EpisodeKind): void {
  if (isOutage(kind)) return log.error(about(kind), outages[kind].begin)
  const { begin }: Kind = faultKinds[kind]
  if (begin !== undefined) log.error({}, begin)
}

/** Each session that holds requests up has a line, however many follow each other. */
function tellHolder(log: Log, episode: Episode, holder: LockHolder): void {
  const name = nameOf(holder)
  if (episode.holder === name) return
  episode.holder = name
  log.error({ ...about('lock'), lock: toShown(holder) }, outages.lock.begin)
}

function tellEnd(log: Log, kind: EpisodeKind, { beganAt, lastAt, count }: Episode): void {
  const { end } = episodeKinds[kind]
  const faultCount = count
  if (!isOutage(kind)) log.over('error', { faultCount }, end)
  else log.over('error', { ...about(kind), faultCount, milliseconds: lastAt - beganAt }, end)
}

const isOutage = (kind: EpisodeKind): kind is ToldCause => kind in outages
const about = (cause: ToldCause) => ({ cause, runbook: outages[cause].runbook })
const nameOf = ({ backend, since }: LockHolder): string => `${backend} ${since?.getTime()}`

const toShown = (holder: LockHolder) => ({
  ...holder,
  since: holder.since?.toISOString() ?? null,
})

const isStillHeld = (find: FindHolder, name: string): Promise<boolean> =>
  find().then(
    (holder) => holder !== undefined && nameOf(holder) === name,
    () => false,
  )
