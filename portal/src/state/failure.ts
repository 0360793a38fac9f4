// Why a request brought no success, and how far a change has come: what screens tell a person.
import type { ExceededLimit } from '../../../src/domain/errors.ts'
import type { OwnCode } from '../../../languages/words.ts'
import type { Challenge, Code } from './types.ts'

export type { OwnCode }

/** A place of a request, as a path, and what is wrong there in the words of the API. */
export type RefusedPlace = { path: string; message: string }

/** What the API tells beside the code. */
export type RefusedBody = {
  details?: readonly RefusedPlace[]
  challenge?: Challenge | undefined
  limit?: ExceededLimit | undefined
}

/** A refusal of the API, or of the page itself. */
export class Failure extends Error {
  declare readonly status: number
  /** A newer bank than the page is of can send a code that the type does not list. */
  declare readonly code: Code | OwnCode
  /** From Retry-After. */
  declare readonly waitSeconds: number | undefined
  /** The fields of the body that were refused. */
  declare readonly fields: readonly string[]
  /** The same with whole paths. */
  declare readonly places: readonly RefusedPlace[]
  /** The identifier of the request, for a question to the bank. */
  declare readonly requestId: string | undefined
  /** The path of another resource, such as the first of two equal transfers. */
  declare readonly location: string | undefined
  /** What has to be answered with a second factor before the same request is accepted. */
  declare readonly challenge: Challenge | undefined
  /** The limit that the request would exceed, where the bank tells it. */
  declare readonly limit: ExceededLimit | undefined

  constructor(
    code: Code | OwnCode,
    response?: Response,
    { details: places = [], challenge, limit }: RefusedBody = {},
  ) {
    super(code)
    this.code = code
    this.status = response?.status ?? 0
    this.fields = places.map(({ path }) => path.split('/').at(-1) as string)
    this.places = places
    this.challenge = challenge
    this.limit = limit
    const read = (field: string) => response?.headers.get(field) ?? undefined
    const wait = read('retry-after')
    this.waitSeconds = wait ? Number.parseInt(wait, 10) : undefined
    this.requestId = read('x-request-id')
    this.location = read('location')
  }
}

export type SubmitState = 'idle' | 'sending' | 'checking' | 'done' | 'refused' | 'unknown'

/** A change that a form sends, as the form shows it. */
export type Submission = { state: SubmitState; failure: Failure | undefined }
