// The cookies of the portal. A name with the prefix `__Host-` is accepted by a browser only from
// this host over HTTPS and for all paths, so no other host can plant one (RFC 6265bis 4.1.3.2).
import { opaqueSecret } from '../domain/secret-forms.ts'

export const sessionCookie = '__Host-strongroom'
export const deviceCookie = '__Host-strongroom-device'
/** A way to the issuer and back, which this browser has begun. */
export const visitCookie = '__Host-strongroom-visit'

type Name = typeof sessionCookie | typeof deviceCookie | typeof visitCookie

const secretShape = new RegExp(`^${opaqueSecret}$`)

/**
 * The secret in a cookie of the `Cookie` field. Undefined when there is no such cookie, null when
 * it was not set by this service: it has another form, or is there more than once.
 */
export function readCookie(field: string | undefined, name: Name): string | null | undefined {
  const values = (field ?? '').split(';').flatMap((pair) => {
    const [before = '', ...value] = pair.split('=')
    return before.trim() === name ? [value.join('=').trim()] : []
  })
  const [value] = values
  if (value === undefined) return undefined
  return values.length === 1 && secretShape.test(value) ? value : null
}

/** @param maxAge in seconds; without one the cookie ends with the browser */
export const writeCookie = (name: Name, value: string, maxAge?: number): string =>
  [
    `${name}=${value}; Secure; HttpOnly; SameSite=Strict; Path=/`,
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
  ].join('; ')

export const deletedSessionCookie = writeCookie(sessionCookie, '', 0)
export const deletedVisitCookie = writeCookie(visitCookie, '', 0)
