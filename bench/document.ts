// Writes what a run measured into docs/PERFORMANCE.md, between its two marks, with the chart and
// the figures beside it. What stands around the marks is written by people.
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Results } from './bench.ts'
import { toChart } from './chart.ts'
import { toCells, headings, machineLines } from './table.ts'

const docs = (name: string): string => fileURLToPath(new URL(`../docs/${name}`, import.meta.url))
const begin = '<!-- measured: begin -->'
const end = '<!-- measured: end -->'

export async function writeDocument(results: Results): Promise<void> {
  await writeFile(docs('performance.json'), `${JSON.stringify(results, undefined, 2)}\n`)
  await writeFile(docs('performance.svg'), toChart(results.rows))
  const text = await readFile(docs('PERFORMANCE.md'), 'utf8')
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error('PERFORMANCE.md has no marks')
  const written = `${before}${begin}\n\n${measured(results)}\n\n${end}${after}`
  await writeFile(docs('PERFORMANCE.md'), written)
}

function measured({ at, machine, settings, rows }: Results): string {
  const { rounds, seconds } = settings
  const lines = [
    `Measured on ${at.slice(0, 10)}, ${rounds} interleaved rounds, ${seconds} s each. `,
    ...machineLines(machine).map((line) => `${line}.`),
  ]
  const tables = [...new Set(rows.map((row) => row.case))].map((name) => {
    const own = rows.filter((row) => row.case === name)
    const cells = own.map((row) => toCells(row, machine.cores).slice(1))
    const used = headings.slice(1).map((_, column) => cells.some((line) => line[column] !== ''))
    const pick = (line: readonly string[]) =>
      `| ${line.filter((_, column) => used[column]).join(' | ')} |`
    const kept = headings.slice(1)
    return [
      `### ${name}`,
      '',
      pick(kept),
      pick(kept.map((_, column) => (column === 0 ? '---' : '---:'))),
      ...cells.map(pick),
    ].join('\n')
  })
  return [lines.join('\n'), '![Each case against its goal](performance.svg)', ...tables].join(
    '\n\n',
  )
}
