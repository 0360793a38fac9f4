// Whether staff can sign in at the issuer, as the operator is told. A sign-in that fails proves
// nothing: a browser chose its code. It makes this bank ask for itself, at most once a minute.
import type { Clock } from '../../domain/clock.ts'
import type { Log } from '../../telemetry/log.ts'

/** How often it is looked whether the issuer answers. */
const lookMs = 60_000

/** It lasts, and may be told behind another fault. */
export const refusedClient = 'it refuses this client; see the settings STRONGROOM_OIDC_…'

export type Reach = {
  isReachable(): boolean
  /** What no browser causes: it gives no document. */
  noteFault(fault: string): void
  /** A sign-in failed, or a logout token could not be judged. */
  suspect(): void
  noteSignIn(): void
  close(): void
}

type ReachParts = {
  log: Pick<Log, 'warn' | 'over'>
  clock: Pick<Clock, 'monotonic'>
  /** Each gives what is wrong with the issuer; undefined where nothing is. */
  findFault: { ofDocument(): Promise<string | undefined>; ofSignIns(): Promise<string | undefined> }
}

/** Looks at once, then every minute; at sign-ins only while one has failed or it is away. */
export function watchReach({ log, clock, findFault }: ReachParts): Reach {
  let present: string | undefined
  let isSuspected = false
  let askedAt = -Infinity
  let looking: Promise<void> | undefined

  function noteFault(fault: string): void {
    const isTold = present !== undefined && (fault !== refusedClient || present === refusedClient)
    if (!isTold) {
      log.warn({ because: fault }, 'the issuer does not answer; staff cannot sign in there')
    }
    present = fault
  }
  function end(): void {
    isSuspected = false
    if (present !== undefined) log.over('warn', {}, 'the issuer answers again')
    present = undefined
  }
  async function judge(): Promise<void> {
    const fault = await findFault.ofDocument()
    if (fault !== undefined) return noteFault(fault)
    if (!isSuspected && present === undefined) return
    isSuspected = false
    askedAt = clock.monotonic()
    const faultOfSignIns = await findFault.ofSignIns()
    if (faultOfSignIns === undefined) end()
    else noteFault(faultOfSignIns)
  }
  const look = () => void (looking ??= judge().finally(() => (looking = undefined)))
  const timer = setInterval(look, lookMs).unref()
  look()

  return {
    isReachable: () => present === undefined,
    noteFault,
    suspect() {
      isSuspected = true
      if (clock.monotonic() - askedAt < lookMs) return
      askedAt = clock.monotonic()
      look()
    },
    noteSignIn: end,
    close: () => clearInterval(timer),
  }
}
