// `strongroom client payees`: a responder for the names of payees at other banks, to try a bank
// with. What it answers follows from the last digit of the IBAN, so each answer can be had.
import http from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Common } from './actions.ts'
import { UsageError } from './exit.ts'

export type PayeesOptions = Common & { port: number }

const bodyBytesMax = 4096

/** 1: nearly the name; 2: another name; 3: not possible to tell. Otherwise the name is right. */
export function answerPayee({ name, iban }: { name: string; iban: string }): object {
  const [given = '', ...more] = name.split(' ')
  const digit = iban.at(-1)
  if (digit === '1') return { result: 'close_match', name: [given, 'Alex', ...more].join(' ') }
  if (digit === '2') return { result: 'no_match' }
  return { result: digit === '3' ? 'not_possible' : 'match' }
}

function readQuestion(text: string): { name: string; iban: string } | undefined {
  try {
    const { name, iban } = JSON.parse(text) as Record<string, unknown>
    return typeof name === 'string' && typeof iban === 'string' ? { name, iban } : undefined
  } catch {
    return undefined
  }
}

/** Answers on the loopback address until the signal. `onReady` is told its URL. */
export async function payees(
  { json: isJson, port, signal }: PayeesOptions,
  onReady: (url: string) => void = (url) => {
    process.stdout.write(`Answering at ${url}\n`)
  },
): Promise<void> {
  const server = http.createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.length > bodyBytesMax) request.destroy()
    })
    request.on('end', () => {
      const question = request.method === 'POST' ? readQuestion(text) : undefined
      const answer = question && answerPayee(question)
      response.writeHead(answer ? 200 : 400, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer ?? {}))
      if (answer && !isJson) process.stdout.write(`${JSON.stringify(answer)}\n`)
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((thrown: Error) => {
    throw new UsageError(`The port ${port} cannot be used: ${thrown.message}`)
  })
  onReady(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  if (!signal.aborted) await once(signal, 'abort')
  server.closeAllConnections()
  server.close()
}
