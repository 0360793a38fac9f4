// A reporter that ends the run with the first test that fails: one is enough.
import type { TestEvent } from 'node:test/reporters'

export default async function* firstFailure(events: AsyncIterable<TestEvent>) {
  for await (const { type } of events) if (type === 'test:fail') process.exit(1)
  yield ''
}
