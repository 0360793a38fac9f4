// The definition of an endpoint. It is checked when it is declared, before the service listens: a
// route without its access, its limit or the resource of an identifier does not boot.
import type { Readable } from 'node:stream'
import type { Static, TObject, TSchema } from '../domain/type.ts'
import type { Operation } from '../audit/actions.ts'
import type { AuditEvent } from '../audit/sql.ts'
import type { LimitClass } from '../config/config.ts'
import type { Database } from '../database/connections/connect.ts'
import type { Columns, Db, RowOf } from '../database/statements/statement.ts'
import type { Code, Refusal } from '../domain/errors.ts'
import type { ShownTerms } from '../gate/confirmations.ts'
import type { Charged, Keys } from '../gate/limits.ts'
import type { MemberRight } from '../gate/members.ts'
import type { Judged, Named, RowStatement } from '../gate/ownership.ts'
import type { Access, Caller, ServiceUse } from '../gate/roles.ts'
import { checkRoute } from './route-check.ts'
import type { Listing, Page } from './pagination.ts'
import type { Service } from './services.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A request as its handler sees it, without the web framework. */
export type Context<P = unknown, Q = unknown, B = unknown, C = Caller, W = unknown> = {
  params: P
  query: Q
  body: B
  /** Header fields in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** The user and the grant by which the request was admitted; undefined on a public route. */
  caller: C
  /** The client's address and the request's identifier, for the audit trail and the log. */
  address: string
  requestId: string
  /** The request came from the portal's page and was admitted by its cookie. */
  isPortal: boolean
  /** What the route's `row` found. */
  row: W | undefined
  db: Database
  /** Milliseconds since the epoch, read once for the whole request. */
  now: number
  service: Service
  /**
   * Records this request in the transaction of its change, in place of the event that it has
   * without a call, or records another action beside that.
   */
  record(tx: Db, about?: Partial<AuditEvent>): Promise<unknown>
  /** An event of this request for an order of the ledger, which writes it. */
  toEvent(about: Pick<AuditEvent, 'action'> & Partial<AuditEvent>): AuditEvent
  /** The caller as it is now, before the answer of a read that waited. Refuses one that ended. */
  requireStill(): Promise<Caller | undefined>
  /** Aborted once the answer has no reader any more. */
  gone(): AbortSignal
  /**
   * In the transaction of a route that `confirmsSome`: this change has to be confirmed. Refuses
   * with `confirmation_required` if a person with a second factor has not confirmed it.
   */
  requireConfirmed(): void
  /** A page of a list. Its cursors hold for this operation, subject, filters and caller only. */
  page<Row, I>(listing: Listing<Row, I>): Promise<Page<I>>
  /** Logs a failure that is the outcome of one item of the request. */
  report(failure: Refusal): void
  /** Charges windows whose keys only the body can name; of this route's limit class by default. */
  chargeMore(keys: string | Keys, name?: LimitClass): Promise<Charged>
}

/** A reply with header fields; without any, a handler returns the plain value. */
export class Answer<V> {
  readonly value: V
  readonly headers: Record<string, string | string[]>
  constructor(value: V, headers: Record<string, string | string[]>) {
    this.value = value
    this.headers = headers
  }
}

/** A reply that is a file, streamed. The server destroys a `body` that it does not send. */
export class FileReply {
  /** One of the route's `files`. */
  readonly mediaType: string
  /** Letters, digits, dot and hyphen only. */
  readonly name: string
  readonly body: Readable
  constructor(mediaType: string, name: string, body: Readable) {
    if (!/^[\w.-]+$/.test(name)) throw new TypeError('Not a plain file name')
    this.mediaType = mediaType
    this.name = name
    this.body = body
  }
}

/**
 * What a route declares of a change that is confirmed: `true`, or what is shown to the person
 * beside the operation and the identifiers, such as the payee.
 */
export type Confirm<C> = true | ((context: C) => ShownTerms | Promise<ShownTerms>)

type Shape<S> = S extends TSchema ? Static<S> : undefined
/** The value of the single 2xx reply. */
type Replied<R> = R extends Record<number, infer S extends TSchema> ? Static<S> : never
type Handled<R> =
  Replied<R> extends null ? void | Answer<void> : Replied<R> | Answer<Replied<R>> | FileReply

export type Definition<
  A extends Access = Access,
  P extends TObject | undefined = TObject | undefined,
  Q extends TObject | undefined = TObject | undefined,
  B extends TObject | undefined = TObject | undefined,
  R extends Record<number, TSchema> = Record<number, TSchema>,
  G extends Columns & Judged = Columns & Judged,
> = {
  method: Method
  /** With the `/api/v1` prefix; parameters as `:name`. */
  path: string
  /** Its name in the API reference and the audit trail, such as `freezeAccount`. */
  operation: Operation
  /** One sentence for the API reference. */
  summary: string
  /** `public`, or the grant by role; a role that is not listed is refused. */
  access: A
  /** The grant that opens it to a service account. If absent it is closed to all of them. */
  service?: ServiceUse
  /**
   * What a member of the account needs, where a customer's grant is `own`. A route that does not
   * say is the owner's alone.
   */
  member?: MemberRight
  /** Its rows are read at a standby, where one is set: who may read them is judged before. */
  atStandby?: true
  /** A session that may only enrol a second factor opens it too. */
  restricted?: true
  /**
   * A person with a second factor confirms the change, which the handler makes in one transaction
   * or by the ledger.
   */
  confirm?: Confirm<Context<Shape<P>, Shape<Q>, Shape<B>>>
  /** Which of its requests are confirmed its handler says, by `requireConfirmed`. */
  confirmsSome?: true
  /** The class of requests of people. Those of service accounts count in the class `service`. */
  limit: LimitClass
  /**
   * `only`: called by the portal's page alone, since it sets cookies. `never`: not called by it,
   * since it answers with tokens, which no script of the page may read.
   */
  portal?: 'only' | 'never'
  params?: P
  query?: Q
  body?: B
  /** A request without a body is one without its fields. */
  bodyIsOptional?: true
  /**
   * The body may be a form too, `application/x-www-form-urlencoded`, as a standard has it.
   * Parameters of a form that are not known are ignored.
   */
  form?: true
  /** The body may be `application/xml` too: it is read into the value that JSON would have. */
  xml?: { about: string; read(bytes: Buffer): unknown }
  /** The most bytes of a body for which the setting of all others may be too small. */
  bodyMax?: number
  /**
   * Why a change of what is the caller's own has no event of each transaction: `handler` makes
   * several transactions and records the one that counts; of a movement of money the `ledger` keeps
   * caller and session.
   */
  recordedBy?: 'handler' | 'ledger'
  /** Does this operation for each item of its body, with an outcome and an event for each. */
  each?: Operation
  /** Exactly one 2xx: the status of success and the schema that filters what leaves. */
  reply: R
  /** Media types of the files that may be replied in place of JSON. */
  files?: readonly string[]
  /** The refusals of this route beyond those the gate makes on any; for the API reference. */
  refusals?: readonly Code[]
  /**
   * What a change is about beside the identifiers that it names. The people and programs
   * among them are locked with its caller.
   */
  about?(context: { params: Shape<P>; db: Database; service: Service }): Promise<readonly Named[]>
  /**
   * Refuses what this caller may not ask for, before it waits for a second person, and before a
   * request that waited is made.
   */
  admits?(asked: { caller: Caller; body: Shape<B> }): void
  /** It decides about the request of another person, and cannot wait for a second one itself. */
  decides?: true
  /** Example of a body, for the API reference. */
  example?: Shape<B>
  /**
   * Reads the one resource that a GET names. For the grant `own` the gate judges the owner
   * of that row; for a token it is read in the round trip of the session.
   */
  row?: RowStatement<G>
  handle(
    context: Context<
      Shape<P>,
      Shape<Q>,
      Shape<B>,
      A extends 'public' ? undefined : Caller,
      [G] extends [never] ? undefined : RowOf<G>
    >,
  ): Promise<Handled<R>>
  /** In place of `handle` when the request names what was the caller's and is gone; else 404. */
  whenGone?(context: Context<Shape<P>, Shape<Q>, Shape<B>>): Promise<Handled<R>>
  /** A read by staff, for the audit trail, in place of the names of its parameters. */
  tells?(query: Shape<Q>): string
  /** The answer while the store of limits is out of reach; 503 if there is none. */
  whenUncounted?: Replied<R>
}

/** A checked route without its types, for the server, the documents and the tests. */
export type Route = Omit<
  Definition,
  | 'row'
  | 'handle'
  | 'whenGone'
  | 'whenUncounted'
  | 'example'
  | 'confirm'
  | 'about'
  | 'admits'
  | 'tells'
> & {
  success: number
  row?: RowStatement
  confirm?: Confirm<Context<never, never, never, never>>
  about?(context: { params: never; db: Database; service: Service }): Promise<readonly Named[]>
  admits?(asked: { caller: Caller; body: never }): void
  tells?(query: never): string
  example?: unknown
  whenUncounted?: unknown
  handle(context: Context<never, never, never, never>): Promise<unknown>
  whenGone?(context: Context<never, never, never, never>): Promise<unknown>
}

/** Declares an endpoint. Throws when the definition is incomplete. */
export function route<
  A extends Access,
  R extends Record<number, TSchema>,
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TObject | undefined = undefined,
  G extends Columns & Judged = never,
>(definition: Definition<A, P, Q, B, R, G>): Route {
  const checked = definition as unknown as Omit<Route, 'success'>
  return Object.freeze({ ...checked, success: checkRoute(checked) })
}

/** Whether staff make it by their grant. Only such a change can wait for a second person. */
export const isStaffChange = ({ method, access }: Pick<Route, 'method' | 'access'>): boolean =>
  method !== 'GET' && access !== 'public' && Object.values(access).includes('any')

/** The staff operations that a service account can be granted. */
export const grantableOperations = (routes: readonly Route[]): ReadonlySet<string> =>
  new Set(routes.flatMap(({ operation, service }) => (service === 'operation' ? operation : [])))
