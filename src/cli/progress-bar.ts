// A progress bar on standard error, where that is a terminal.

const width = 40

export type ProgressBar = {
  /** Draws the bar again when the percentage has changed. */
  draw(done: number, total: number): void
  end(): void
}

/** @param label stands behind the percentage */
export function createProgressBar(
  say: (text: string) => void,
  label: string,
): ProgressBar | undefined {
  if (!process.stderr.isTTY) return undefined
  let shown = -1
  return {
    draw(done, total) {
      const part = total === 0 ? 1 : Math.min(1, done / total)
      const percent = Math.floor(part * 100)
      if (percent === shown) return
      shown = percent
      const filled = Math.round(part * width)
      say(`\r${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${percent} % ${label} `)
    },
    end: () => say('\n'),
  }
}
