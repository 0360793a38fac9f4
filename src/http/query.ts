// Reads query strings as they were sent: what is no text in UTF-8 is refused, never repaired.
import { parse, type ParsedUrlQuery } from 'node:querystring'

/** No route knows this parameter, so every route refuses it, in its turn and in its own form. */
const unreadable: ParsedUrlQuery = Object.freeze({ '%': '' })

/** A parameter that stands twice comes as a list, which no schema takes. */
export function readQuery(text: string): ParsedUrlQuery {
  if (!isEncoded(text)) return unreadable
  return parse(text, '&', '=', { maxKeys: 0 })
}

/** Whether each percent sign begins an escape and the escapes together are UTF-8. */
function isEncoded(text: string): boolean {
  if (!text.includes('%')) return true
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
