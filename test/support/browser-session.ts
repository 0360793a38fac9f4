// A browser's session on the portal, without a browser: its cookies, and what it sends by itself.
import type { SendOptions, Reply } from './client.ts'
import { password, people, type PersonName, type World } from './world.ts'

export const handleCookie = '__Host-strongroom'
export const deviceCookie = '__Host-strongroom-device'

/** What a browser adds to a request of the portal's own page. */
export const fromPage = { 'sec-fetch-site': 'same-origin' }

/** The values of the cookies that an answer sets, by name. */
export function readCookies({ headers }: Pick<Reply, 'headers'>): Record<string, string> {
  const fields = (headers['set-cookie'] ?? []) as unknown as string[]
  return Object.fromEntries(
    fields.map((field) => {
      const [pair = ''] = field.split(';', 1)
      const at = pair.indexOf('=')
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

export const toCookieField = (cookies: Record<string, string>): string =>
  Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')

/** One request to the portal's session route; with the given cookies, as a browser sends them. */
export const openSession = (
  { send }: Pick<World, 'send'>,
  name: PersonName,
  { cookies = {}, body = {}, ...asked }: SendOptions & { cookies?: Record<string, string> } = {},
): Promise<Reply> => {
  const cookie = toCookieField(cookies)
  return send('POST', '/portal/session', {
    ...asked,
    body: { username: people[name].username, password, ...(body as object) },
    headers: { ...fromPage, ...(cookie && { cookie }), ...asked.headers },
  })
}

export type Browser = {
  cookies: Record<string, string>
  /** On the mount, with the cookies and what a browser adds. */
  send(method: string, path: string, asked?: SendOptions): Promise<Reply>
}

/** Logs in on the portal. */
export async function browse(
  bank: Pick<World, 'send'>,
  name: PersonName,
  asked?: Parameters<typeof openSession>[2],
): Promise<Browser> {
  const reply = await openSession(bank, name, asked)
  if (reply.status !== 204) throw new Error(`${name} could not log in: ${reply.text}`)
  const cookies = readCookies(reply)
  const cookie = toCookieField(cookies)
  return {
    cookies,
    send: (method, path, { headers, ...more } = {}) =>
      bank.send(method, `/portal${path}`, {
        ...more,
        headers: { ...fromPage, cookie, ...headers },
      }),
  }
}
