// Asks whose an account at another bank is: the responder that the operator names, by JSON over
// HTTPS. No payment waits longer for it than three seconds, whatever it does.
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../domain/clock.ts'
import { parseJson } from '../../domain/json.ts'
import { type CheckResult, checkResults } from '../../domain/payee-name.ts'
import { fromRail } from '../../domain/rail-text.ts'
import type { PayeeAnswer, PayeeResponder } from '../../http/services.ts'
import { describeError, type Log } from '../../telemetry/log.ts'
import { NotDelivered, type SenderOptions, sendWebhook } from '../webhooks/sender.ts'

/** For the whole exchange. A person waits for it before a payment. */
export const answerMaxMs = 3000
/** It asks other banks, of which one may fail while the others answer. */
const quietMs = 60_000
/** Questions at once; a further one is not asked. */
const askedAtOnceMax = 32

const notPossible: PayeeAnswer = { result: 'not_possible' }

export type OpenPayeeResponder = PayeeResponder & {
  /** Questions without an answer, but for those that the responder itself could not answer. */
  failedCount(): number
  /** Cuts off what is under way. */
  close(): void
}

export type ResponderParts = {
  config: Pick<Config, 'payeeCheckUrl' | 'payeeCheckSecret'>
  log: Pick<Log, 'warn' | 'over'>
  clock: Pick<Clock, 'monotonic'>
  /** For tests. */
  sender?: Pick<SenderOptions, 'ca'> | undefined
}

export function openPayeeResponder(parts: ResponderParts): OpenPayeeResponder {
  const { config, log, clock, sender } = parts
  const { payeeCheckUrl: url, payeeCheckSecret: secret } = config
  const ending = new AbortController()
  let askedCount = 0
  let failedCount = 0
  let isFailing = false
  let failedAt = 0

  /** A fault is over when no question met it for a minute. */
  function noteAnswer(): void {
    if (!isFailing || clock.monotonic() - failedAt < quietMs) return
    log.over('warn', {}, 'the responder for payees of other banks answers again')
    isFailing = false
  }

  async function askOne(target: string, asked: { name: string; iban: string }) {
    if (askedCount >= askedAtOnceMax) throw new NotDelivered('Too many questions at once')
    const headers = {
      accept: 'application/json',
      'user-agent': 'Strongroom',
      ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
    }
    askedCount++
    try {
      const received = await sendWebhook(
        target,
        { headers, body: JSON.stringify({ name: asked.name, iban: asked.iban }) },
        {
          ...sender,
          // The operator names it: it may be a program in the bank's own network.
          isOpen: true,
          keepsBody: true,
          timeoutMs: answerMaxMs,
          signal: ending.signal,
        },
      )
      const { status, body } = received
      if (status !== 200 && status !== 201) throw new NotDelivered(`The answer was ${status}`)
      return readAnswer(body ?? Buffer.alloc(0))
    } finally {
      askedCount--
    }
  }

  return {
    async ask(asked) {
      if (url === undefined) return notPossible
      try {
        const answer = await askOne(url, asked)
        noteAnswer()
        return answer
      } catch (thrown) {
        failedCount++
        failedAt = clock.monotonic()
        if (!isFailing && !ending.signal.aborted) {
          log.warn(
            { error: describeError(thrown) },
            'the responder for payees of other banks fails',
          )
        }
        isFailing = true
        return notPossible
      }
    },
    failedCount: () => failedCount,
    close: () => ending.abort(),
  }
}

/** As long as the longest name of a person here. */
const nameMax = 141

/**
 * `{ "result": "close_match", "name": "…" }`. Further members are ignored, and a name beside
 * another result: it is not told. The name is mapped to free text, as all texts of other banks.
 */
function readAnswer(body: Buffer): PayeeAnswer {
  const malformed = () => new NotDelivered('The answer is malformed')
  let value: unknown
  try {
    value = parseJson(body)
  } catch {
    throw malformed()
  }
  const { result, name } = (value ?? {}) as { result?: unknown; name?: unknown }
  const known: CheckResult | undefined = checkResults.find((each) => each === result)
  if (known === undefined) throw malformed()
  if (known !== 'close_match') return { result: known }
  const told = typeof name === 'string' && name.length <= nameMax ? fromRail(name, nameMax) : ''
  if (told === '') throw malformed()
  return { result: known, name: told }
}
