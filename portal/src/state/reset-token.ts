// The token of a mailed link. It leaves the address bar and the history at once, and is kept
// nowhere but in this page's memory.
import { cell } from './cell.ts'

/** Empty: no link has opened this page. */
export const resetToken = cell('')

function take(): void {
  const found = /^#token=([\w-]{1,128})$/.exec(location.hash)?.[1]
  if (found === undefined) return
  resetToken.value = found
  history.replaceState(null, '', location.pathname)
}

/** Also when a link is opened in a page already open. */
export function takeResetToken(): void {
  take()
  addEventListener('hashchange', take)
}
