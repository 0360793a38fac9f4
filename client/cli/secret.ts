// A password or a key from the terminal without an echo, or from standard input. Never an argument:
// other programs of the computer can read those.
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { UsageError } from './exit.ts'

/** The next line that comes. Throws {@link UsageError} when nothing comes. */
export type Ask = (question: string) => Promise<string>

/**
 * Runs `work`, which may ask several questions: each piped line answers one, and none is lost. On
 * an abort a question throws the reason of the signal.
 */
export async function withSecrets<R>(
  signal: AbortSignal,
  work: (ask: Ask) => Promise<R>,
): Promise<R> {
  const { stdin, stderr } = process
  // What readline would echo goes nowhere.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = stdin.isTTY
  const reader = createInterface({ input: stdin, output, terminal, signal })
  const lines = reader[Symbol.asyncIterator]()
  try {
    return await work(async (question) => {
      if (terminal) stderr.write(question)
      const line = await lines.next()
      if (terminal) stderr.write('\n')
      signal.throwIfAborted()
      return (line.done ? '' : line.value) || fail()
    })
  } finally {
    reader.close()
  }
}

function fail(): never {
  throw new UsageError('Nothing was given on standard input.')
}
