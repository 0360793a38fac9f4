// What the journal of `client rail-files` says.
import type { SentPayment, SentPayments, Step } from './judged.ts'
import { toReference } from './written.ts'

/** A file that went out, and what was told of its payments; a line is there before its call. */
export type JournalLine =
  | { batch: string; messageId: string; file: string; payments: SentPayment[] }
  | { returned: string; teller: Step['teller']; number: string }
  | { settled: string; teller: Step['teller'] }
  | { credited: string; hash: string }

/** By the keys of its lines. */
export class Known implements SentPayments {
  readonly batches = new Set<string>()
  readonly returned = new Map<string, { teller: Step['teller']; number: string }>()
  readonly settled = new Set<string>()
  readonly credited = new Map<string, string>()
  private readonly payments = new Map<string, SentPayment>()
  private readonly endToEnd = new Map<string, SentPayment[]>()
  private readonly messages = new Map<string, SentPayment[]>()

  constructor(lines: readonly JournalLine[]) {
    for (const line of lines) this.learn(line)
  }

  learn(line: JournalLine): void {
    if ('batch' in line) {
      this.batches.add(line.batch)
      this.messages.set(line.messageId, line.payments)
      for (const payment of line.payments) this.learnPayment(payment)
    } else if ('returned' in line) {
      const { returned, teller, number } = line
      if (!this.returned.has(returned)) this.returned.set(returned, { teller, number })
    } else if ('settled' in line) this.settled.add(line.settled)
    else this.credited.set(line.credited, line.hash)
  }

  private learnPayment(payment: SentPayment): void {
    const { id, endToEndId } = payment
    this.payments.set(toReference(id), payment)
    this.endToEnd.set(endToEndId, [...(this.endToEnd.get(endToEndId) ?? []), payment])
  }

  byNumber(number: string): SentPayment | undefined {
    return this.payments.get(number.toLowerCase())
  }
  byEndToEndId(endToEndId: string): readonly SentPayment[] {
    return this.endToEnd.get(endToEndId) ?? []
  }
  ofMessage(messageId: string): readonly SentPayment[] | undefined {
    return this.messages.get(messageId)
  }
}
