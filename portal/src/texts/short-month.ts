import { locale } from './language.ts'

/** `2026-11` → `Nov`, where the year is told elsewhere. */
export const shortMonth = (month: string): string =>
  new Intl.DateTimeFormat(locale(), { month: 'short', timeZone: 'UTC' }).format(
    new Date(`${month}-01`),
  )
