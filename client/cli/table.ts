// Tables on a terminal.

/** What a terminal would obey instead of showing it. */
const controls = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
export const withoutControls = (text: string): string => text.replace(controls, '?')

/**
 * Rows under their heading, in columns as wide as their widest cell.
 *
 * @param numbers columns that are aligned at their right
 */
export function toTable(
  heading: readonly string[],
  rows: readonly (readonly (string | null)[])[],
  numbers: readonly string[] = [],
): string {
  const cells = [heading, ...rows.map((row) => row.map((cell) => cell ?? ''))].map((row) =>
    row.map((cell) => withoutControls(cell)),
  )
  const widths = heading.map((_, at) => Math.max(...cells.map((row) => (row[at] ?? '').length)))
  const align = (cell: string, at: number): string =>
    numbers.includes(heading[at] as string)
      ? cell.padStart(widths[at] as number)
      : cell.padEnd(widths[at] as number)
  return cells.map((row) => `${row.map(align).join('  ').trimEnd()}\n`).join('')
}
