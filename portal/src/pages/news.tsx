// What has changed on the person's accounts since a screen was shown: it is looked for while the
// page is seen, shown in its place, and told.
import { useEffect, useRef, useState } from 'preact/hooks'
import { continued, send, type ShownRead, shownReads, unattended } from '../calls/call.ts'
import {
  idleMs,
  idleSeconds,
  mustEnrol,
  phase,
  sessionSignal,
  warningSeconds,
} from '../calls/session.ts'
import { goOnUnattended, isCalm } from '../calls/unattended.ts'
import { newestEntries } from '../calls/usual-account.ts'
import { Button, ButtonLink, Notice } from '../parts/basic.tsx'
import { findPage, type PageName, to } from '../state/paths.ts'
import { address } from '../state/router.ts'
import type { Failure } from '../state/failure.ts'
import type { List, OwnTransaction } from '../state/types.ts'
import { loadTexts, texts } from '../texts/language.ts'
import { formatCount, formatMoney } from '../texts/money.tsx'

const lookEveryMs = 20_000
const tickMs = 1000

/** The pages that show what has changed. Forms stay as they are. */
const livePages: readonly (PageName | undefined)[] = ['home', 'account']
const isLive = (): boolean => livePages.includes(findPage(address.value.path)?.name)

/** The home has all entries, the page of an account its own. */
function isShown({ accountId, id }: OwnTransaction): boolean {
  const { name, parameters = {} } = findPage(address.value.path) ?? {}
  if (name === 'account') return parameters['accountId'] === accountId
  return name === 'home' || (name === 'entry' && parameters['transactionId'] === id)
}

/** What they show of money. */
const readsOfMoney =
  /^\/((admin\/)?accounts|transfers|transactions|accounts\/[^/]+\/(transactions|balances|holds))\?/

type Entries = List<OwnTransaction>
type Look = {
  entries: Entries
  arrived: OwnTransaction[]
  /** The screen shows something else than before. */
  isRedrawn: boolean
}

const read = <T,>(path: string): Promise<T> =>
  send<T>({ method: 'GET', path, signal: sessionSignal() })

const differ = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) !== JSON.stringify(other)

/** Money that came from elsewhere: an own payment to an own account has its other side here too. */
function findArrived({ items: before }: Entries, { items }: Entries): OwnTransaction[] {
  const known = new Set(before.map(({ id }) => id))
  const paid = items.filter(({ amount }) => amount.startsWith('-')).map(({ id }) => id)
  // Older ones move up when an account is closed.
  const since = before[0]?.createdAt ?? ''
  return items.filter(
    ({ id, createdAt, amount }) =>
      !known.has(id) && createdAt >= since && !amount.startsWith('-') && !paid.includes(id),
  )
}

/** Rows behind a first page stay what they are: the next ones would be missing before them. */
const isRenewable = ({ path, data }: ShownRead): boolean =>
  readsOfMoney.test(path) && data !== undefined && !continued.has(data as object)

/** Undefined where the bank refuses it from now on, as of an account that is left: it stays. */
const readAgain = (path: string): Promise<unknown> =>
  read(path).catch((thrown: Failure) => {
    if (![403, 404].includes(thrown.status)) throw thrown
  })

/**
 * One read; those of the screen again only if it brought something. Undefined if the person did
 * something meanwhile: then nothing is to move.
 */
async function look(last: Entries | undefined): Promise<Look | undefined> {
  goOnUnattended()
  // As they are now: what is read meanwhile is newer.
  const shown = isLive()
    ? [...shownReads].filter(isRenewable).map((on) => ({ on, path: on.path, data: on.data }))
    : []
  const entries = await read<Entries>(newestEntries)
  const former = shown.find(({ path }) => path === newestEntries)?.data as Entries | undefined
  const before = last ?? former
  const arrived = before ? findArrived(before, entries) : []
  // A screen that shows other entries may be older than the first look.
  const isChanged = [last, former].some((one) => one && differ(one, entries)) || !before
  const renewed = isChanged ? shown : []
  const found = await Promise.all(
    renewed.map(({ path }) => (path === newestEntries ? entries : readAgain(path))),
  )
  if (renewed.length > 0 && !unattended.isOn) return undefined
  let isRedrawn = false
  for (const [at, { on, data }] of renewed.entries()) {
    const now = found[at]
    if (!now || on.data !== data || !differ(data, now)) continue
    on.show(now)
    isRedrawn = true
  }
  return { entries, arrived, isRedrawn }
}

/** A hidden page does not look, and none does behind the warning before the idle end. */
const mayLook = (): boolean =>
  !mustEnrol.value &&
  document.visibilityState === 'visible' &&
  phase.value === 'in' &&
  isCalm() &&
  (idleSeconds === 0 || idleMs() < (idleSeconds - warningSeconds) * 1000)

/** The tab shows how many were not seen yet. The title of a new screen comes without. */
function markTitle(count: number): void {
  const title = (count > 0 ? `(${count}) ` : '') + document.title.replace(/^\(\d+\) /, '')
  if (document.title !== title) document.title = title
}

/** Looks while it is shown. */
function useLooks(onLook: (found: Look) => void, onTick: () => void): void {
  useEffect(() => {
    let last: Entries | undefined
    let lookedAt = -Infinity
    let isLooking = false
    async function lookAgain(): Promise<void> {
      isLooking = true
      try {
        const found = await look(last)
        if (!found) return
        last = found.entries
        lookedAt = performance.now()
        onLook(found)
      } catch {
        // The next look may succeed; a session that has ended was told by the request.
        lookedAt = performance.now()
      } finally {
        isLooking = false
      }
    }
    const timer = setInterval(() => {
      onTick()
      const isDue = performance.now() - lookedAt >= lookEveryMs
      if (isDue && !isLooking && mayLook()) void lookAgain()
    }, tickMs)
    return () => clearInterval(timer)
  }, [])
}

function tell(arrived: readonly OwnTransaction[]): string {
  const t = texts().news
  const [first, ...more] = arrived
  if (!first || more.length > 0) return t.manyArrived(formatCount(arrived.length))
  const { amount, currency, counterparty } = first
  return t.arrived(formatMoney(amount, currency), counterparty?.name)
}

/** Stands behind the screen, so that it moves nothing. */
function News() {
  const t = texts().news
  const [unseen, setUnseen] = useState<readonly OwnTransaction[]>([])
  const [told, setTold] = useState('')
  const latest = useRef(unseen)
  latest.current = unseen
  useLooks(
    ({ arrived, isRedrawn }) => {
      setUnseen([...arrived, ...latest.current])
      const here = arrived.filter(isShown)
      if (here.length > 0) setTold(tell(here))
      else if (isRedrawn) setTold(t.changed)
    },
    () => {
      const isSeeing = document.visibilityState === 'visible' && document.hasFocus()
      const left = latest.current.filter((entry) => !(isSeeing && isShown(entry)))
      if (left.length < latest.current.length) setUnseen(left)
      markTitle(left.length)
    },
  )
  const noticed = unseen.filter((entry) => !isShown(entry))
  const [first, ...more] = noticed
  return (
    <>
      {first && (
        <div class="no-print">
          <Notice kind="good">
            <p dir="auto">{tell(noticed)}</p>
            <div class="actions">
              <ButtonLink
                href={
                  more.length > 0
                    ? to('home')
                    : to('entry', { accountId: first.accountId, transactionId: first.id })
                }
              >
                {t.show}
              </ButtonLink>
              <Button onClick={() => setUnseen([])}>{texts().common.close}</Button>
            </div>
          </Notice>
        </div>
      )}
      <p class="unseen" role="status">
        {told}
      </p>
    </>
  )
}

export async function loadNews(): Promise<typeof News> {
  await loadTexts('news')
  return News
}
