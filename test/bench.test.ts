// The benchmark runs: what nobody tries until the day figures are wanted would be broken that day.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Results } from '../bench/bench.ts'
import { toChart } from '../bench/chart.ts'

const run = promisify(execFile)
const bench = fileURLToPath(new URL('../bench/bench.ts', import.meta.url))

test('the benchmark measures its cases, writes what it measured and puts everything away', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-bench-test-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  // As root PostgreSQL runs as another account, which has to get through.
  await chmod(folder, 0o711)
  const file = path.join(folder, 'results.json')
  // Everything it makes is made in this folder. Sockets have short names, so it is not deep.
  const env = { ...process.env, TMPDIR: folder }
  const { stdout } = await run(
    process.execPath,
    [bench, 'reads', 'transfers', '--tiny', `--json=${file}`],
    { env },
  )
  const { machine, rows } = JSON.parse(await readFile(file, 'utf8')) as Results
  assert.deepEqual([...new Set(rows.map((row) => row.case))], ['reads', 'transfers'])
  assert.ok(machine.fsyncMilliseconds > 0)
  for (const { variant, main, figures } of rows) {
    assert.ok((figures[main]?.median ?? 0) > 0, variant)
    assert.ok(stdout.includes(variant), variant)
  }
  const compared = rows.filter(({ variant }) => /^product|^uniform|^hot/.test(variant))
  assert.ok(compared.length >= 9)
  for (const { variant, ratio, figures } of compared) {
    assert.ok(Number.isFinite(ratio?.median), variant)
    const isAskedToFail = variant.includes('refused')
    assert.ok(isAskedToFail || figures.refusedPercent?.median === 0, variant)
  }
  assert.match(toChart(rows), /^<svg [\s\S]+<\/svg>\n$/)
  assert.deepEqual(await readdir(folder), ['results.json'])
})
