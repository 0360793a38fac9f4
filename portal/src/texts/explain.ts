// Every code of the API and of the page as a sentence, so that no code is shown.
import { type ShownCode, textOfWord } from '../../../languages/words.ts'
import type { ExceededLimit } from '../../../src/domain/errors.ts'
import type { Failure } from '../state/failure.ts'
import { texts } from './language.ts'
import { type Currency, formatMoney, negate, sum } from './money.tsx'
import { formatTime } from './time.tsx'

/** Which limit it is, and of money how much is left until when. */
function explainLimit({ name, amount, used, currency, resetsAt }: ExceededLimit): string {
  const { limits } = texts()
  if (name === 'perPayment') return limits[name](formatMoney(amount, currency as Currency))
  if (name !== 'dailyTransfers') return limits[name](amount)
  const unit = currency as Currency
  const left = sum([amount, negate(used)], unit)
  // A limit that was lowered may be used up twice.
  const shown = left.startsWith('-') ? sum(['0'], unit) : left
  return limits[name](
    formatMoney(amount, unit),
    formatMoney(shown, unit),
    formatTime(resetsAt ?? ''),
  )
}

export function explainFailure({ code, limit }: Pick<Failure, 'code' | 'limit'>): string {
  const { errors } = texts()
  if (limit) return explainLimit(limit)
  return textOfWord(errors, code as ShownCode, errors.internal_error)
}
