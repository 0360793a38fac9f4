// Sizes, colours and positions in a PDF statement, in points from the upper left corner of A4.
import type { Style } from './pdf-paper.ts'

/** Red, green and blue. Text has a contrast of at least 4.5 to its background (WCAG 1.4.3). */
export const colors = {
  ink: '0.10 0.13 0.19',
  grey: '0.36 0.40 0.46',
  accent: '0.07 0.24 0.42',
  pale: '0.94 0.955 0.97',
  line: '0.82 0.85 0.88',
} as const

export const styles = {
  bank: { font: 'bold', size: 12, color: colors.accent },
  title: { font: 'bold', size: 19, color: colors.ink },
  label: { font: 'regular', size: 7.5, color: colors.grey },
  value: { font: 'bold', size: 9.5, color: colors.ink },
  figure: { font: 'bold', size: 11, color: colors.ink },
  head: { font: 'bold', size: 7.5, color: colors.accent },
  strong: { font: 'bold', size: 8.5, color: colors.ink },
  plain: { font: 'regular', size: 8.5, color: colors.ink },
  small: { font: 'regular', size: 7.2, color: colors.grey },
  faint: { font: 'regular', size: 6, color: colors.grey },
} as const satisfies Record<string, Style>

export const left = 48
export const width = 499
export const right = left + width
export const contentTop = 52
export const contentEnd = 780
export const footLine = 806
