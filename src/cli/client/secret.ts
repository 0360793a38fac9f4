// A password or a key from the terminal without an echo, or from standard input. Never an argument:
// other programs of the computer can read those.
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { UsageError } from './exit.ts'

/** The first line that comes. Throws {@link UsageError} when nothing comes. */
export async function readSecret(question: string): Promise<string> {
  const { stdin, stderr } = process
  // What readline would echo goes nowhere.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = stdin.isTTY
  const lines = createInterface({ input: stdin, output, terminal })
  if (terminal) stderr.write(question)
  const secret = await new Promise<string>((resolve) => {
    lines.once('line', resolve)
    lines.once('close', () => resolve(''))
  })
  lines.close()
  if (terminal) stderr.write('\n')
  return secret || fail()
}

function fail(): never {
  throw new UsageError('Nothing was given on standard input.')
}
