// The chart of a run, drawn without a library: how far each case is from its goal.
import type { Row } from './harness.ts'
import { isKnown, shown } from './table.ts'

type Bar = {
  label: string
  text: string
  /** 1 is the goal; more is better. */
  part: number
}

const rowHeight = 22
const left = 400
const width = 1000
const right = 150
const top = 46
const most = 3

/** An SVG that can be read on light and on dark ground. */
export function toChart(rows: readonly Row[]): string {
  const bars = rows.flatMap(toBars)
  const height = top + bars.length * rowHeight + 30
  const scale = (part: number) => (Math.min(part, most) / most) * (width - left - right)
  const goal = left + scale(1)
  const drawn = bars.map(({ label, text, part }, at) => {
    const y = top + at * rowHeight
    const fill = part >= 1 ? 'met' : 'missed'
    const long = Math.max(1, scale(part)).toFixed(1)
    return [
      `<text x="${left - 8}" y="${y + 13}" text-anchor="end">${escaped(label)}</text>`,
      `<rect class="${fill}" x="${left}" y="${y + 2}" width="${long}" height="15" rx="2"/>`,
      `<text class="value" x="${(left + scale(part) + 6).toFixed(1)}" y="${y + 13}">`,
      `${escaped(text)}</text>`,
    ].join('')
  })
  const frame = `viewBox="0 0 ${width} ${height}" role="img"`
  const title = 'How each case stands to its goal: bars over the dashed line reach it'
  return `<svg xmlns="http://www.w3.org/2000/svg" ${frame} aria-label="${title}">
<style>
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 14px }
  .value { font-size: 11px }
  .met { fill: #2f8f5b } .missed { fill: #c4622d }
  line { stroke: #57606a; stroke-dasharray: 3 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #d0d7de } .met { fill: #3fb97a } .missed { fill: #e58a52 } line { stroke: #8b949e }
  }
</style>
<text class="title" x="8" y="20">${title}</text>
<text class="value" x="${goal}" y="${top - 8}" text-anchor="middle">goal</text>
<line x1="${goal}" y1="${top - 2}" x2="${goal}" y2="${height - 24}"/>
${drawn.join('\n')}
<text class="value" x="${left}" y="${height - 8}">Bars are cut at ${most} times the goal.</text>
</svg>
`
}

function toBars({ case: name, variant, figures, ratio, goals }: Row): Bar[] {
  return goals.flatMap(({ of, atLeast, atMost }): Bar[] => {
    const value = of === 'ratio' ? ratio?.median : figures[of]?.median
    // That nothing is refused is a condition, not a race, and the lag stands in the table.
    if (!isKnown(value) || of === 'refusedPercent' || of === 'lagMilliseconds') return []
    const said = of === 'ratio' ? `${value.toFixed(2)} x` : shown(value, of)
    const wanted = atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`
    const part = atLeast === undefined ? (atMost ?? 0) / value : value / atLeast
    return [{ label: `${name}: ${variant}`, text: `${said} (goal ${wanted})`, part }]
  })
}

const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? '')
