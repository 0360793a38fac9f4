// Reads a folder into the staging, line by line, and tells what is wrong with it.
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { type Currency, parseAmount } from '../../domain/money.ts'
import { StartupError } from '../../domain/startup-error.ts'
import { type FoundTotals, findFaults, markKnown, sumUp } from './checks.ts'
import { fileName, type LineFile, lineFiles, type Totals, totalsName } from './format.ts'
import { readLines } from './lines.ts'
import { LineFault, parseLine, type ParseRules, parseTotals } from './parse.ts'
import { createStaging, indexStaging, openStage } from './staging.ts'

export type Counts = Record<LineFile, number>
type Progress = (done: number, total: number, lines: number) => void

type Reading = {
  folder: string
  rules: ParseRules
  now: number
  /** One line for each fault. */
  onFault: (text: string) => void
  progress: Progress
}

/** Throws {@link StartupError} for a folder that is none of the form. */
async function readTotals(folder: string): Promise<Totals> {
  const path = join(folder, totalsName)
  const bytes = await readFile(path).catch(({ code }: NodeJS.ErrnoException) => {
    throw new StartupError(`${path} cannot be read (${code}).`)
  })
  try {
    return parseTotals(bytes)
  } catch (thrown) {
    if (!(thrown instanceof LineFault)) throw thrown
    throw new StartupError(`${path}: ${thrown.message}.`)
  }
}

/** What would not be read must not seem to be imported. */
async function requireKnownFiles(folder: string): Promise<void> {
  const known = new Set([...lineFiles.map(fileName), totalsName])
  const other = (await readdir(folder)).find((name) => !known.has(name) && !name.startsWith('.'))
  if (other === undefined) return
  throw new StartupError(`${folder} has a file that is not of the form: ${other}.`)
}

const sizeOf = async (path: string): Promise<number> =>
  (await stat(path).catch(() => undefined))?.size ?? 0

/**
 * Stages a folder in the open transaction of the client, and finds what is wrong with it.
 *
 * @returns how many lines each file has, and how many faults there are
 */
export async function stageFolder(
  client: pg.Client,
  reading: Reading,
): Promise<{ counts: Counts; faults: number }> {
  const { folder } = reading
  const totals = await readTotals(folder)
  await requireKnownFiles(folder)
  await createStaging(client)
  let faults = 0
  const tell = (place: string, wrong: string) => {
    faults++
    reading.onFault(`${place}: ${wrong}.\n`)
  }
  const atLine = (file: LineFile, line: number, wrong: string) =>
    tell(`${fileName(file)}, line ${line}`, wrong)
  const counts = await stageFiles(client, reading, atLine)
  await indexStaging(client)
  await markKnown(client)
  for await (const { file, line, wrong } of findFaults(client)) atLine(file, line, wrong)
  for (const wrong of compareTotals(totals, counts, await sumUp(client))) tell(totalsName, wrong)
  return { counts, faults }
}

async function stageFiles(
  client: pg.Client,
  { folder, rules, now, progress }: Reading,
  onFault: (file: LineFile, line: number, wrong: string) => void,
): Promise<Counts> {
  const paths = lineFiles.map((file) => [file, join(folder, fileName(file))] as const)
  const sizes = await Promise.all(paths.map(([, path]) => sizeOf(path)))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const counts = Object.fromEntries(lineFiles.map((file) => [file, 0])) as Counts
  let [done, lines] = [0, 0]
  for (const [file, path] of paths) {
    const stage = openStage(client, file, now)
    for await (const { number, bytes } of readLines(path, (more) => (done += more))) {
      counts[file] = number
      lines++
      progress(done, total, lines)
      try {
        if (bytes === undefined) throw new LineFault('is too long')
        await stage.add(number, parseLine(file, bytes, rules))
      } catch (thrown) {
        if (!(thrown instanceof LineFault)) throw thrown
        onFault(file, number, thrown.message)
      }
    }
    await stage.finish()
  }
  return counts
}

/** Counts, and the sum of each currency to the last minor unit. */
function compareTotals(totals: Totals, counts: Counts, found: readonly FoundTotals[]): string[] {
  const counted = ['people', 'accounts', 'blocks', 'beneficiaries', 'orders', 'history'] as const
  const wrong = counted
    .filter((name) => totals[name] !== counts[name])
    .map((name) => `${name} is not the number of the lines`)
  const byCurrency = new Map(found.map((each) => [each.currency, each]))
  for (const currency of new Set([...byCurrency.keys(), ...Object.keys(totals.currencies)])) {
    const told = totals.currencies[currency]
    const { accounts = 0, sum = 0n } = byCurrency.get(currency) ?? {}
    if (told?.accounts !== accounts) wrong.push(`the count of accounts in ${currency} is another`)
    if (!told || unitsOf(told.sum, currency) !== sum)
      wrong.push(`the sum in ${currency} is another`)
  }
  return wrong
}

function unitsOf(text: string, currency: string): bigint | undefined {
  const isNegative = text.startsWith('-')
  const units = parseAmount(isNegative ? text.slice(1) : text, currency as Currency)
  return isNegative && units !== undefined ? -units : units
}
