// The URLs of the servers the service talks to. Their drivers take options from the query string,
// some of which switch protections off; only parameters that cannot are accepted here.
import { Unusable, type Parser } from './values.ts'

/** Reads the text as a URL of one of the schemes, its parts decodable. */
function serverUrl(text: string, ...schemes: string[]): URL {
  const url = /\s/.test(text) ? null : URL.parse(text)
  if (url === null || !schemes.includes(url.protocol)) {
    const starts = schemes.map((scheme) => `${scheme}//`).join(' or ')
    throw new Unusable(`has to be a URL that starts with ${starts}`)
  }
  try {
    for (const part of [url.username, url.password, url.hostname, url.pathname]) {
      decodeURIComponent(part)
    }
  } catch {
    throw new Unusable(
      'has a % that is not followed by two hexadecimal digits (write % itself as %25)',
    )
  }
  if (url.hash !== '') throw new Unusable('may not have a # in it (write # itself as %23)')
  return url
}

const databaseParameters = ['host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']

/**
 * pg lets the parameters of the URL win over the service's own connection options: `options` could
 * drop the restricted role. Without a word on TLS it uses plain text, so the URL of a database on
 * another host has to say which it is.
 */
export const databaseUrl: Parser<string> = (text) => {
  const url = serverUrl(text, 'postgres:', 'postgresql:')
  const parameters = [...url.searchParams.keys()]
  if (parameters.some((name) => !databaseParameters.includes(name))) {
    throw new Unusable(`may have only the parameters ${databaseParameters.join(', ')}`)
  }
  if (new Set(parameters).size < parameters.length) throw new Unusable('repeats a parameter')
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname)
  if (host === '') throw new Unusable('has to name a host')
  const mode = url.searchParams.get('sslmode')
  if (mode === null ? !isLocal(host) : !['verify-full', 'disable'].includes(mode)) {
    throw new Unusable(
      'has to say ?sslmode=verify-full (or, on a network nobody else can reach, ?sslmode=disable)',
    )
  }
  return text
}

/** Whether a host is this machine: a loopback name or address, or a Unix socket. */
export const isLocal = (host: string): boolean =>
  host.startsWith('/') || /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)

export const redisUrl: Parser<string> = (text) => {
  const { protocol, hostname, pathname, search } = serverUrl(text, 'redis:', 'rediss:', 'unix:')
  if (protocol === 'unix:') {
    if (isLocal(hostname || 'localhost') && pathname.length > 1 && search === '') return text
    throw new Unusable('has to hold the path of a socket behind unix:// and no parameters')
  }
  if (hostname === '') throw new Unusable('has to name a host')
  if (/^(\/\d{0,2})?$/.test(pathname) && search === '') return text
  throw new Unusable('may have only the number of a database behind the host, and no parameters')
}

export const smtpUrl: Parser<string> = (text) => {
  const { hostname, pathname, search } = serverUrl(text, 'smtp:', 'smtps:')
  if (hostname === '') throw new Unusable('has to name a host')
  if (/^\/?$/.test(pathname) && search === '') return text
  throw new Unusable('may have neither a path nor parameters')
}

/** What such a server is sent must not be read on its way to another machine. */
const privateUrl =
  (what: string): Parser<string> =>
  (text) => {
    const { hostname, protocol, username, password, search } = serverUrl(text, 'http:', 'https:')
    if (username !== '' || password !== '' || search !== '') {
      throw new Unusable('may have neither a user nor parameters')
    }
    if (protocol === 'https:' || isLocal(hostname)) return text
    throw new Unusable(`has to start with https:// for a ${what} on another machine`)
  }

/** Spans have no personal data, but they tell what the bank does and when. */
export const otlpUrl = privateUrl('collector')

/** It is sent names and IBANs. */
export const payeeCheckUrl = privateUrl('responder')
