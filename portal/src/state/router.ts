// The address bar: which page is shown, and links between pages without loading anew.
import { cell } from './cell.ts'

const read = () => ({ path: location.pathname, query: location.search })

/** The present address. Changes when a link is followed, and with the browser's own buttons. */
export const address = cell(read())

/** Counts visits, so that a page shown twice in a row starts anew. */
export const visit = cell(0)

export function navigate(href: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', href)
  address.value = read()
  visit.value++
  scrollTo(0, 0)
}

/** Changes the query of the present page, such as a filter, and shows nothing anew. */
export function setQuery(query: URLSearchParams): void {
  const text = query.size > 0 ? `?${query}` : ''
  history.replaceState(null, '', location.pathname + text + location.hash)
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
  addEventListener('popstate', () => {
    address.value = read()
    visit.value++
  })
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
