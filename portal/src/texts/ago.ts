// How long ago something was, as people say it.
import { locale } from './language.ts'

/** `8 seconds ago`, in the largest unit that is whole. */
export function formatAgo(at: string): string {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(at)) / 1000))
  const units = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
    ['second', 1],
  ] as const
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? ['second', 1]
  const format = new Intl.RelativeTimeFormat(locale())
  return format.format(-Math.floor(seconds / size), unit)
}
