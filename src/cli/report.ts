// How a command ends that could not do its work: one line on standard error, and an exit code.
import { ConfigError } from '../config/config.ts'
import { isDamage } from '../database/connections/failure.ts'
import { Refusal } from '../domain/errors.ts'
import { PassingStartupError, StartupError } from '../domain/startup-error.ts'
import { findInterruption } from './interruption.ts'

export const exitCodes = { failed: 1, unusable: 2, unproven: 3, damaged: 4 } as const

/** The books are not what they were: exit code 1, which no other failure of a proof has. */
export class UnsoundBooks extends Error {}

/**
 * Says why the command failed, and gives the exit code.
 *
 * @param unproven of a command that proves the books: what is said when it could not
 */
export function report(thrown: unknown, say: (text: string) => void, unproven?: string): number {
  const interrupted = findInterruption()
  if (interrupted && !(thrown instanceof UnsoundBooks)) {
    // Another error is that of the removal, or follows from the interruption.
    const why = (thrown as Error).name === interrupted.name ? '' : `: ${reasonOf(thrown)}`
    say(`Interrupted${why}.\n`)
    return interrupted.exitCode
  }
  if (thrown instanceof ConfigError) {
    for (const line of thrown.lines) say(`${line}\n`)
    return exitCodes.unusable
  }
  if (isDamage(thrown) || isDamage((thrown as Error).cause)) {
    say(`The database is damaged: ${reasonOf((thrown as Error).cause ?? thrown)}.\n`)
    return exitCodes.damaged
  }
  const mayPass = thrown instanceof PassingStartupError
  const isUnusable = thrown instanceof StartupError && !mayPass
  if (unproven !== undefined && !isUnusable && !(thrown instanceof UnsoundBooks)) {
    say(`${unproven}: ${reasonOf(thrown)}.\n`)
    return exitCodes.unproven
  }
  say(`${firstLine(thrown)}\n`)
  return isUnusable ? exitCodes.unusable : exitCodes.failed
}

const firstLine = (thrown: unknown): string => (thrown as Error).message.split('\n', 1)[0] as string

/** What is behind a refusal, which itself says only that the database is away. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError) return reasonOf(thrown.errors[0])
  if (!(thrown instanceof Refusal)) return firstLine(thrown).replace(/\.$/, '')
  return thrown.cause instanceof Error ? reasonOf(thrown.cause) : 'the database does not answer'
}
