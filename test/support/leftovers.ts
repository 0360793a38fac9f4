// What a test file leaves behind for the next one of its process.
import { mock } from 'node:test'
import { statements } from '../../src/database/statements/statement.ts'

type Mock = (this: unknown, of: object, name: PropertyKey, ...more: unknown[]) => unknown
type Place = { of: object; name: PropertyKey; before: PropertyDescriptor | undefined }

/** What was there before the first mock of a file. */
const mocked: Place[] = []

function noteMocks(): void {
  const tracker = Object.getPrototypeOf(mock) as { method: Mock }
  const { method } = tracker
  tracker.method = function (of, name, ...more) {
    if (!mocked.some((place) => place.of === of && place.name === name)) {
      mocked.push({ of, name, before: Object.getOwnPropertyDescriptor(of, name) })
    }
    return Reflect.apply(method, this, [of, name, ...more])
  }
}

const isOther = ({ of, name, before }: Place): boolean => {
  const now = Object.getOwnPropertyDescriptor(of, name)
  return now?.value !== before?.value || now?.get !== before?.get
}

function putBack({ of, name, before }: Place): void {
  if (before) Object.defineProperty(of, name, before)
  else Reflect.deleteProperty(of, name)
}

const timers = ['setImmediate', 'setInterval', 'setTimeout']
const once = [
  'Date',
  'RegExp',
  'fetch',
  ...timers,
  ...timers.map((name) => name.replace('set', 'clear')),
]
const readOnce = (): Place[] =>
  [
    ...once.map((name) => ({ of: globalThis, name })),
    ...Object.keys(process.env).map((name) => ({ of: process.env, name })),
  ].map(({ of, name }) => ({ of, name, before: Object.getOwnPropertyDescriptor(of, name) }))

/**
 * Begins to watch.
 *
 * @returns to be called between two files: it puts back what one has left, and fails where that was
 * not the runner's doing
 */
export function watchLeftovers(): (file: string) => void {
  noteMocks()
  const asBegun = readOnce()
  return (file) => {
    // A later world would prepare them, as if they were the program's.
    for (const name of statements.keys()) if (name.startsWith('test_')) statements.delete(name)
    const places = mocked.splice(0)
    // Node gives a method that its object had inherited back to the object itself, where it would
    // hide the mocks of later files.
    for (const place of places.filter(({ before }) => before === undefined)) putBack(place)
    const isNew = ({ of, name }: Place) =>
      !asBegun.some((one) => one.of === of && one.name === name)
    const added = readOnce()
      .filter(isNew)
      .map((place) => ({ ...place, before: undefined }))
    const left = [...places, ...asBegun, ...added].filter(isOther)
    left.forEach(putBack)
    const names = left.map(({ name }) => String(name)).join()
    if (names !== '') throw new Error(`${file} left ${names} changed`)
  }
}
