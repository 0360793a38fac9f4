// The address bar: which page is shown, and links between pages without loading anew.
import { cell } from './cell.ts'

const read = () => ({ path: location.pathname, query: location.search })

/** The present address. Changes when a link is followed, and with the browser's own buttons. */
export const address = cell(read())

/** Counts visits, so that a page shown twice in a row starts anew. */
export const visitCount = cell(0)

/** What pages keep for the way back to them, by the entries of the browser's history. */
type Kept = Record<string, number>
type Entry = { entry: number; kept: Kept }
const begun = (history.state ?? { entry: 0, kept: {} }) as Entry
let here = begun.entry
let last = here
const entries = new Map([[here, begun.kept]])
const keptHere = (): Kept => entries.get(here) ?? {}

/** Keeps a number for a page that is shown again by the browser's own buttons, or loaded anew. */
export function keepForBack(name: string, value: number): void {
  entries.set(here, { ...keptHere(), [name]: value })
}

/** Other filters make it another list. */
export const forgetForBack = (): void => void entries.set(here, {})

/** Undefined where the page is not shown again. */
export const readForBack = (name: string): number | undefined => keptHere()[name]

/** Writes what was kept where a reload finds it. */
const storeEntry = (href?: string): void =>
  history.replaceState({ entry: here, kept: keptHere() } satisfies Entry, '', href)

/** Ends the way to where a page was scrolled to. */
let stopScrolling: (() => void) | undefined
const ownMoves = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/** Scrolls there once the page is long enough, unless the person does something before. */
function scrollBack(top: number): void {
  stopScrolling?.()
  const observer = new ResizeObserver(() => {
    if (document.documentElement.scrollHeight - innerHeight < top) return
    stop()
    scrollTo(0, top)
  })
  const stop = () => {
    stopScrolling = undefined
    observer.disconnect()
    for (const move of ownMoves) removeEventListener(move, stop)
  }
  stopScrolling = stop
  observer.observe(document.body)
  for (const move of ownMoves) addEventListener(move, stop)
}

export function navigate(href: string, { replace = false } = {}): void {
  if (!stopScrolling) keepForBack('top', scrollY)
  stopScrolling?.()
  if (!replace) {
    storeEntry()
    here = ++last
    history.pushState(null, '', href)
  }
  entries.set(here, {})
  storeEntry(href)
  address.value = read()
  visitCount.value++
  scrollTo(0, 0)
}

/** Changes the query of the present page, such as a filter, and shows nothing anew. */
export function setQuery(query: URLSearchParams): void {
  const text = query.size > 0 ? `?${query}` : ''
  storeEntry(location.pathname + text + location.hash)
  address.value = read()
}

/** The query of the present page. */
export const readQuery = (): URLSearchParams => new URLSearchParams(address.value.query)

/** Changes parts of the query; an empty value is left out. */
export function changeQuery(parts: Record<string, string>): void {
  const query = readQuery()
  for (const [name, value] of Object.entries(parts)) {
    if (value) query.set(name, value)
    else query.delete(name)
  }
  setQuery(query)
}

export function startRouter(): void {
  history.scrollRestoration = 'manual'
  storeEntry()
  addEventListener('scroll', () => {
    if (!stopScrolling) keepForBack('top', scrollY)
  })
  addEventListener('pagehide', () => storeEntry())
  addEventListener('popstate', ({ state }: PopStateEvent) => {
    here = (state as Entry | null)?.entry ?? ++last
    last = Math.max(last, here)
    if (!entries.has(here)) entries.set(here, (state as Entry | null)?.kept ?? {})
    address.value = read()
    visitCount.value++
    scrollBack(readForBack('top') ?? 0)
  })
  scrollBack(readForBack('top') ?? 0)
  // Every link is an ordinary one: what the browser offers for links (a new tab, copying) works.
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest('a')
    const isOrdinary =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (!link || !isOrdinary || event.defaultPrevented || link.target || link.download) return
    const url = new URL(link.href)
    const isPage = url.origin === location.origin && url.pathname.startsWith('/portal/')
    if (!isPage || url.pathname.startsWith('/portal/api/') || url.hash) return
    event.preventDefault()
    navigate(url.pathname + url.search)
  })
}
