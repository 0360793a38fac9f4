// A signal to end to a command that has made something: it is removed before the command ends.

/** Those that a shell gives to a program which the signal has ended. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

export class Interrupted extends Error {
  override readonly name = 'AbortError'
  readonly exitCode: number
  constructor(exitCode: number) {
    super('Interrupted')
    this.exitCode = exitCode
  }
}

const stopping = new AbortController()
let isListening = false

/** Is aborted by these signals. From the first call on they do not end the process themselves. */
export function interruption(): AbortSignal {
  if (!isListening) {
    isListening = true
    for (const [name, code] of Object.entries(exitCodes)) {
      process.on(name, () => stopping.abort(new Interrupted(code)))
    }
  }
  return stopping.signal
}

/** The interruption that has come, or undefined. */
export const findInterruption = () => stopping.signal.reason as Interrupted | undefined

/** The work; on a signal it is not waited for any more. It must leave nothing to be removed. */
export async function unlessInterrupted<R>(work: Promise<R>): Promise<R> {
  const signal = interruption()
  const { promise, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(signal.reason as Interrupted)
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp)
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
