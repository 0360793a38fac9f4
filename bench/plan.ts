// What a generator sends, said once for every generator: whole HTTP/1.1 requests, one of which is
// taken at random each time.
export type Plan = {
  templates: readonly string[]
  /** Of so many in a hundred the same bytes are sent a second time, a while later. */
  repeatPercent?: number
}

/** In a template: replaced by a number never sent before, in as many digits. */
export const numberMark = '##########'

type Request = {
  method?: string
  path: string
  token?: string
  body?: unknown
  headers?: Readonly<Record<string, string>>
}

export function toRequest({ method = 'GET', path, token, body, headers = {} }: Request): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  const fields = {
    host: 'localhost',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
    }),
    ...headers,
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`
}

let sent = 0

/** The first of so many numbers that no other measurement uses. */
export function reserveNumbers(): number {
  sent += 10_000_000
  return sent
}
