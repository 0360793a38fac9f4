// Look-ups of one kind that arrive at the same time share one statement. Each is answered from the
// present state of the database, and costs less as the load grows.

const concurrency = 2
const keysPerStatementMax = 500

/**
 * Turns `fetchAll` (one statement over many keys) into a function over one key. A look-up joins
 * only a statement that has not been sent yet, so no answer is older than its look-up.
 *
 * @param fetchAll gives the values by key; a key that it leaves out is answered `undefined`
 */
export function coalesce<V>(
  fetchAll: (keys: string[]) => Promise<Map<string, V>>,
): (key: string) => Promise<V | undefined> {
  let waiting = new Map<string, PromiseWithResolvers<V | undefined>>()
  let underWay = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled || underWay >= concurrency || waiting.size === 0) return
    isScheduled = true
    // After this turn of the event loop, so that all requests parsed in it share the statement.
    setImmediate(send)
  }

  function send(): void {
    isScheduled = false
    const batch = takeBatch()
    underWay++
    fetchAll([...batch.keys()])
      .then(
        (found) => batch.forEach(({ resolve }, key) => resolve(found.get(key))),
        (thrown: unknown) => batch.forEach(({ reject }) => reject(thrown)),
      )
      .finally(() => {
        underWay--
        schedule()
      })
    schedule()
  }

  function takeBatch(): typeof waiting {
    const all = waiting
    if (all.size <= keysPerStatementMax) {
      waiting = new Map()
      return all
    }
    const entries = [...all]
    waiting = new Map(entries.slice(keysPerStatementMax))
    return new Map(entries.slice(0, keysPerStatementMax))
  }

  return (key) => {
    let lookup = waiting.get(key)
    if (!lookup) {
      lookup = Promise.withResolvers<V | undefined>()
      waiting.set(key, lookup)
      schedule()
    }
    return lookup.promise
  }
}
