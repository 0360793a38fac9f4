// Sends bytes over a connection of their own and reads every answer to them.
import { connect, everything, type Listening } from '../support/connect.ts'
import type { World } from '../support/world.ts'

export type Answer = { status: number; fields: [name: string, value: string][]; body: string }

export type Heard = {
  answers: Answer[]
  /** The received bytes that are no answer. */
  rest: string
  /** The service ended the connection. */
  isClosed: boolean
}

const answerTimeoutMs = 8000

/** @param isHead whether the answers have no bodies, as those to HEAD */
export async function speak(
  bank: Pick<World, 'running'>,
  to: Listening,
  bytes: string,
  isHead = false,
): Promise<Heard> {
  const socket = await connect(bank, { to })
  let isClosed = true
  const giveUp = setTimeout(() => {
    isClosed = false
    socket.destroy()
  }, answerTimeoutMs)
  socket.write(Buffer.from(bytes, 'latin1'))
  const text = await everything(socket)
  clearTimeout(giveUp)
  return { ...answersIn(text, isHead), isClosed }
}

function answersIn(text: string, isHead: boolean): { answers: Answer[]; rest: string } {
  const answers: Answer[] = []
  let rest = text
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    const [first = '', ...lines] = rest.slice(0, Math.max(end, 0)).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    if (end < 0 || Number.isNaN(status)) return { answers, rest }
    const fields = lines.map((line): [string, string] => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)]
    })
    const length = Number(fields.find(([name]) => name === 'content-length')?.[1] ?? 0)
    const from = end + 4
    const until = from + (isHead || status < 200 || status === 204 ? 0 : length)
    answers.push({ status, fields, body: rest.slice(from, until) })
    rest = rest.slice(until)
  }
}
