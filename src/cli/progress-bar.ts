// A progress bar on standard error, where that is a terminal.
import type { Clock } from '../domain/clock.ts'

const width = 40
const everyMs = 1000

export type ProgressBar = {
  /**
   * Draws the bar again when the percentage has changed; each second too, if it has a pace.
   *
   * @param count of what the pace counts, where that is not `done`
   */
  draw(done: number, total: number, count?: number): void
  end(): void
}

/** With how many a second, and the time that is left at that pace. */
export type Pace = { unit: string; clock: Pick<Clock, 'monotonic'> }

/** @param label stands behind the percentage */
export function createProgressBar(
  say: (text: string) => void,
  label: string,
  pace?: Pace,
): ProgressBar | undefined {
  return process.stderr.isTTY ? drawBar(say, label, pace) : undefined
}

/** The same wherever it is written to. */
export function drawBar(say: (text: string) => void, label: string, pace?: Pace): ProgressBar {
  let shown = -1
  let drawnAt = 0
  const startedAt = pace?.clock.monotonic() ?? 0
  return {
    draw(done, total, count = done) {
      const part = total === 0 ? 1 : Math.min(1, done / total)
      const percent = Math.floor(part * 100)
      const now = pace?.clock.monotonic() ?? 0
      if (percent === shown && now < drawnAt + everyMs) return
      if (percent === shown && !pace) return
      shown = percent
      drawnAt = now
      const filled = Math.round(part * width)
      const more = pace ? paceText(pace, now - startedAt, part, count) : ''
      say(`\r${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${percent} % ${label}${more} `)
    },
    end: () => say('\n'),
  }
}

function paceText({ unit }: Pace, ms: number, part: number, count: number): string {
  if (ms < everyMs || part === 0) return ''
  const left = Math.ceil((ms * (1 - part)) / part / 1000)
  return `, ${Math.round((count * 1000) / ms)} ${unit}/s, ${left} s left   `
}
