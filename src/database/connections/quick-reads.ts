// Most reads take one or two milliseconds and are cheapest on shared pipelined lanes, so each is
// tried there first. A read that takes longer is cancelled and repeated on the connections for slow
// reads, and so are its caller's next reads.
import { isCutOff, isReadOnly } from './failure.ts'
import type { Readers } from './readers.ts'
import type { Db } from '../statements/statement.ts'
import { LoggedError } from '../../domain/logged-error.ts'

/** The time-out of the lanes: how long a slow read can delay those behind it. */
export const quickTimeoutMs = 30
/** Reads of one caller on the lanes at the same time; further ones go to the other connections. */
const perCallerMax = 4
/** How long a caller whose read was slow stays away from the lanes. */
const slowForMs = 10_000

/** @param quick runs a statement on a lane whose time-out is {@link quickTimeoutMs} */
export function quickFirst(quick: Db, readers: Readers): Readers {
  const underWay = new Map<string, number>()
  const slow = new Set<string>()

  const count = (name: string, change: 1 | -1): void => {
    const running = (underWay.get(name) ?? 0) + change
    if (running === 0) underWay.delete(name)
    else underWay.set(name, running)
  }

  return {
    as(name) {
      const slowly = readers.as(name)
      const run: Db['run'] = async (statement, values) => {
        if (slow.has(name) || (underWay.get(name) ?? 0) >= perCallerMax) {
          return slowly.run(statement, values)
        }
        count(name, 1)
        try {
          return await quick.run(statement, values)
        } catch (thrown) {
          if (!isCutOff(thrown)) throw thrown
        } finally {
          count(name, -1)
        }
        slow.add(name)
        setTimeout(() => slow.delete(name), slowForMs).unref()
        return slowly.run(statement, values)
      }
      return {
        run: (statement, values) =>
          run(statement, values).catch((thrown: unknown) => {
            if (!isReadOnly(thrown)) throw thrown
            throw new LoggedError(`${statement.name} has to run in a transaction`, {
              cause: thrown,
            })
          }),
      }
    },
  }
}
