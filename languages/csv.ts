// Cells and rows of CSV files (RFC 4180), which no spreadsheet runs as formulas.

/** Text that a spreadsheet runs as a formula, also full width or after white space (CWE-1236). */
const formula = /^\s*[=+\-@＝＋－＠\t\r\n]/

/** What a spreadsheet of a language expects; a file for one has a byte order mark. */
export type CsvSigns = { mark: string; separator: string; decimal: string }

export const csvForm = ({ mark, separator, decimal }: CsvSigns) => ({
  /** Before the first row. */
  mark,
  /** A cell of text: safe in a spreadsheet, and quoted where its characters require it. */
  text(value: string): string {
    const safe = formula.test(value) ? `'${value}` : value
    const isQuoted = /[",\r\n]|^\s|\s$/.test(safe) || safe.includes(separator)
    return isQuoted ? `"${safe.replaceAll('"', '""')}"` : safe
  },
  amount: (value: string): string => value.replace('.', decimal),
  row: (cells: readonly string[]): string => `${cells.join(separator)}\r\n`,
})
