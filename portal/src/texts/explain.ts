// Every code of the API and of the page as a sentence, so that no code is shown.
import type { Failure } from '../state/failure.ts'
import { texts } from './language.ts'

export function explain({ code }: Pick<Failure, 'code'>): string {
  const { errors } = texts()
  return errors[code as keyof typeof errors] ?? errors.internal_error
}
