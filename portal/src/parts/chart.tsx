// Charts as SVG, drawn at the size they have, so that their texts stay readable on a small screen.
// Each stands beside a table with the same numbers.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useElementId } from './basic.tsx'

const height = 300
const margin = { top: 28, right: 12, bottom: 48 }
/** About what a sign of the texts takes in pixels: a figure is never cut at the side. */
const signWidth = 8
/** What a label of the lower axis takes in pixels. */
const labelWidth = 56

export type Scale = {
  /** A share of the width, from 0 to 1 → pixels. */
  x: (share: number) => number
  y: (value: number) => number
}

type Props = {
  title: string
  description: string
  /** Names of the axes. */
  axes: { x: string; y: string }
  /** All that are drawn. Numbers are for drawing only: the table has the exact amounts. */
  values: readonly number[]
  formatValue: (value: number) => string
  labels: readonly { share: number; text: string }[]
  children: (scale: Scale) => ComponentChildren
}

/** Round numbers from at most the least to at least the greatest, with zero among them. */
export function findTicks(values: readonly number[]): number[] {
  const [min, max] = [Math.min(0, ...values), Math.max(0, ...values)]
  const rough = (max - min || 1) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10)
  const first = Math.floor(min / step)
  const count = Math.ceil(max / step) - first + 1
  return Array.from({ length: Math.max(2, count) }, (_, index) => (first + index) * step)
}

function useWidth(): [ref: { current: HTMLElement | null }, width: number] {
  const ref = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(600)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.max(240, Math.floor(entry?.contentRect.width ?? 0))),
    )
    observer.observe(ref.current as HTMLElement)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}

export function Chart(props: Props) {
  const { title, description, axes, values, formatValue, labels, children } = props
  const id = useElementId()
  const [ref, width] = useWidth()
  const [right, bottom] = [width - margin.right, height - margin.bottom]
  const ticks = findTicks(values)
  const left = 16 + signWidth * Math.max(...ticks.map((tick) => formatValue(tick).length))
  const [low, high] = [ticks[0] as number, ticks.at(-1) as number]
  const x = (share: number) => left + share * (right - left)
  const y = (value: number) => bottom - ((value - low) / (high - low)) * (bottom - margin.top)
  const every = Math.ceil((labels.length * labelWidth) / (right - left))
  return (
    <figure class="chart" ref={ref}>
      <svg
        role="img"
        aria-labelledby={`${id}-title ${id}-text`}
        viewBox={`0 0 ${width} ${height}`}
        width={width}
        height={height}
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-text`}>{description}</desc>
        <text x={0} y={14}>
          {axes.y}
        </text>
        {ticks.map((tick) => (
          <g key={tick}>
            <path class={tick === 0 ? 'axis' : 'rule'} d={`M${left} ${y(tick)}H${right}`} />
            <text x={left - 8} y={y(tick) + 4} text-anchor="end">
              {formatValue(tick)}
            </text>
          </g>
        ))}
        {labels.map(({ share, text }, index) =>
          index % every === 0 ? (
            <text key={text} x={x(share)} y={bottom + 18} text-anchor="middle">
              {text}
            </text>
          ) : null,
        )}
        <text x={(left + right) / 2} y={height - 6} text-anchor="middle">
          {axes.x}
        </text>
        {children({ x, y })}
      </svg>
    </figure>
  )
}
