// Runs the checks against a bank and says for each clause whether it holds.
import { Failure, type Bank, type Check, type Options, prepare, Skip } from './bank.ts'
import { chapter2 } from './chapter2.ts'
import { chapter3 } from './chapter3.ts'
import { chapter4 } from './chapter4.ts'
import { chapter5 } from './chapter5.ts'
import { chapter7 } from './chapter7.ts'
import { chapter8 } from './chapter8.ts'
import { type ClauseId, clauses } from './clauses.ts'

/** In the order they are run: limits that lock people out stand at the end. */
const checks: Record<ClauseId, Check> = {
  ...chapter2,
  ...chapter3,
  ...chapter4,
  ...chapter5,
  ...chapter7,
  ...chapter8,
}

/** These wait for the end of a session, and wait for it together. */
const slow: readonly ClauseId[] = ['3-absolute', '3-idle', '5.3-expired']

export type Result = {
  id: ClauseId
  text: string
  outcome: 'holds' | 'fails' | 'skipped'
  /** Why it fails or is skipped. */
  detail?: string
}

/** Every clause, in the order of the list. Throws when the bank cannot be prepared. */
export async function runAll(options: Options, only?: readonly string[]): Promise<Result[]> {
  const bank = await prepare(options)
  const chosen = Object.keys(checks).filter((id) => only?.includes(id) ?? true) as ClauseId[]
  const results = new Map<ClauseId, Result>()
  const run = async (id: ClauseId) => void results.set(id, await result(id, bank))
  try {
    await Promise.all(chosen.filter((id) => slow.includes(id)).map(run))
    for (const id of chosen.filter((each) => !slow.includes(each))) await run(id)
  } finally {
    bank.client.close()
  }
  const inOrder = Object.keys(clauses) as ClauseId[]
  return inOrder.flatMap((id) => results.get(id) ?? [])
}

async function result(id: ClauseId, bank: Bank): Promise<Result> {
  const about = { id, text: clauses[id] }
  try {
    await checks[id](bank)
    return { ...about, outcome: 'holds' }
  } catch (thrown) {
    const { message, stack = '' } = thrown as Error
    if (thrown instanceof Skip) return { ...about, outcome: 'skipped', detail: message }
    // What no check expected is told in full: the answer had a form it could not read.
    const detail = thrown instanceof Failure ? message : stack.split('\n').slice(0, 2).join(' ')
    return { ...about, outcome: 'fails', detail }
  }
}
