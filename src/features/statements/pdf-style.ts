// Sizes, colours and positions in a PDF statement, in points from the upper left corner of A4.
import type { Style } from './paper/paper.ts'

/** The light theme of the pages. Text has a contrast of 4.5 to its background (WCAG 1.4.3). */
export const colors = {
  ink: '#11201a',
  grey: '#56685f',
  accent: '#0e5c3d',
  pale: '#f5f7f6',
  line: '#e1e7e4',
} as const

export const textStyles = {
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

export const contentLeft = 48
export const contentWidth = 499
export const contentRight = contentLeft + contentWidth
export const contentTop = 52
export const contentEnd = 780
export const footLine = 806
