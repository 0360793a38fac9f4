// How a refusal goes over the wire, on every listener: its body, and the header fields it needs.
import { errorMessage, type Refusal, errorStatus } from '../domain/errors.ts'
import { withoutMarkup } from './escape.ts'

/** RFC 9110 reason phrases of the statuses in the table: the `error` of every error body. */
const phrases: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
}

const unavailableRetryAfterSeconds = 1

/** A refusal as it goes over the wire. The one renderer: every listener and hook uses it. */
export function render(refusal: Refusal): {
  status: number
  headers: Record<string, string>
  body: string
} {
  const { code, options } = refusal
  const status = errorStatus(code)
  const headers: Record<string, string> = { ...options.headers }
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  const retryAfter =
    options.retryAfter ?? (status === 503 ? unavailableRetryAfterSeconds : undefined)
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter)
  const body = {
    error: phrases[status],
    code,
    message: errorMessage(code),
    ...(code === 'invalid_request' && { details: options.details ?? [] }),
  }
  return { status, headers, body: withoutMarkup(JSON.stringify(body)) }
}
