// Calls between two threads of the service. What one side asks and answers in one turn of its event
// loop goes to the other as one message.
import type { MessagePort } from 'node:worker_threads'
import { type Code, Refusal, type RefusalOptions } from '../domain/errors.ts'
import { StartupError } from '../domain/startup-error.ts'
import { describe } from '../telemetry/log.ts'

/**
 * The functions that one side offers to the other. Arguments and results are cloned, so none of
 * them holds a function.
 */
export type Functions = Readonly<Record<string, (...asked: never[]) => unknown>>

/** The last parameter of a function that waits; it is not sent but aborted from afar. */
type Sent<A extends unknown[]> = A extends [...infer Rest, AbortSignal] ? Rest : A

export type Channel<F extends Functions> = {
  /** Calls a function of the other side. With a signal, its call there is aborted by it. */
  call<N extends keyof F & string>(
    name: N,
    asked: Sent<Parameters<F[N]>>,
    signal?: AbortSignal,
  ): Promise<Awaited<ReturnType<F[N]>>>
  /** The same for a function whose result does not matter; lost if the other side is gone. */
  tell<N extends keyof F & string>(name: N, asked: Parameters<F[N]>): void
  /** Too many calls wait for their answers: what is new should be refused. */
  isFull(): boolean
  /** Fails every call from now on, and those under way; aborts what the other side waits for. */
  close(): void
}

type Message =
  | ['call', id: number, name: string, asked: unknown[], isAbortable: boolean]
  | ['tell', id: 0, name: string, asked: unknown[]]
  | ['abort', id: number]
  | ['done', id: number, result: unknown]
  | ['failed', id: number, failure: Failure]

/** Beyond this a new request gets a clear answer now, not a time-out later. */
const callsUnderWayMax = 16_384

/** A thread as the other one sees it. */
type Port = Pick<MessagePort, 'postMessage'> & {
  on(event: 'message', listener: (messages: Message[]) => void): unknown
}

/** @param own what the other side may call */
export function openChannel<F extends Functions>(port: Port, own: Functions): Channel<F> {
  const calls = new Map<number, PromiseWithResolvers<unknown>>()
  /** The calls of the other side that can be aborted. */
  const serving = new Map<number, AbortController>()
  let outgoing: Message[] = []
  let lastId = 0
  let isClosed = false

  function send(message: Message): void {
    if (outgoing.push(message) === 1) setImmediate(post)
  }

  function post(): void {
    const messages = outgoing
    outgoing = []
    if (isClosed) return
    try {
      port.postMessage(messages)
    } catch {
      // One of them cannot be cloned: a defect, which must not cost the others their answers.
      for (const message of messages) postAlone(message)
    }
  }

  function postAlone(message: Message): void {
    try {
      port.postMessage([message])
    } catch (thrown) {
      const [kind, id] = message
      if (kind === 'call') settle(id, (call) => call.reject(thrown))
      else if (kind === 'done') postAlone(['failed', id, toFailure(thrown)])
    }
  }

  function settle(id: number, how: (call: PromiseWithResolvers<unknown>) => void): void {
    const call = calls.get(id)
    calls.delete(id)
    if (call) how(call)
  }

  function run(name: string, asked: unknown[], more: unknown[] = []): unknown {
    const called = own[name]
    if (!called) throw new Error('a function that the other thread does not have')
    return called(...([...asked, ...more] as never[]))
  }

  function serve(id: number, name: string, asked: unknown[], isAbortable: boolean): void {
    const aborting = isAbortable ? new AbortController() : undefined
    if (aborting) serving.set(id, aborting)
    const answer = (message: Message): void => {
      if (aborting) serving.delete(id)
      send(message)
    }
    const fail = (thrown: unknown) => answer(['failed', id, toFailure(thrown)])
    try {
      const result = run(name, asked, aborting && [aborting.signal])
      // What is known at once is answered in the same turn.
      if (!(result instanceof Promise)) return answer(['done', id, result])
      result.then((value) => answer(['done', id, value]), fail)
    } catch (thrown) {
      fail(thrown)
    }
  }

  function receive(message: Message): void {
    const [kind, id] = message
    if (kind === 'call') serve(id, message[2], message[3], message[4])
    else if (kind === 'tell') void run(message[2], message[3])
    else if (kind === 'abort') serving.get(id)?.abort()
    else if (kind === 'done') settle(id, ({ resolve }) => resolve(message[2]))
    else settle(id, ({ reject }) => reject(fromFailure(message[2])))
  }
  port.on('message', (messages) => messages.forEach(receive))

  return {
    call(name, asked, signal) {
      if (isClosed) return Promise.reject(gone())
      const id = ++lastId
      const call = Promise.withResolvers<unknown>()
      calls.set(id, call)
      send(['call', id, name, asked, signal !== undefined])
      if (!signal) return call.promise as never
      const abort = () => send(['abort', id])
      signal.addEventListener('abort', abort)
      if (signal.aborted) abort()
      return call.promise.finally(() => signal.removeEventListener('abort', abort)) as never
    },
    isFull: () => calls.size >= callsUnderWayMax,
    tell: (name, asked) => send(['tell', 0, name, asked]),
    close() {
      isClosed = true
      for (const { reject } of calls.values()) reject(gone())
      calls.clear()
      for (const aborting of serving.values()) aborting.abort()
    },
  }
}

const gone = (): Refusal => new Refusal('outcome_unknown', { because: 'a thread has ended' })

/** What was thrown, in a form that can be cloned. Errors are for the log: no message is kept. */
type Failure =
  | { code: Code; options: Omit<RefusalOptions, 'because'>; because: Cause }
  | { startup: string }
  | { because: Cause }
type Cause = string | { name: string; stack: string | undefined; code: string | undefined }

function toFailure(thrown: unknown): Failure {
  if (thrown instanceof StartupError) return { startup: thrown.message }
  if (!(thrown instanceof Refusal)) return { because: toCause(thrown) }
  const { because, ...options } = thrown.options
  return { code: thrown.code, options, because: toCause(because) }
}

function toCause(because: unknown): Cause {
  if (!(because instanceof Error)) return typeof because === 'string' ? because : ''
  const { name, stack, state } = describe(because)
  return { name, stack: stack?.replaceAll(' | ', '\n'), code: state }
}

function fromFailure(failure: Failure): Error {
  if ('startup' in failure) return new StartupError(failure.startup)
  const { because } = failure
  const cause = typeof because === 'string' ? because : Object.assign(new Error(), because)
  if ('code' in failure) return new Refusal(failure.code, { ...failure.options, because: cause })
  return cause instanceof Error ? cause : new Error('not an Error')
}
