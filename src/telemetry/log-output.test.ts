import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'

const log = new URL('log.ts', import.meta.url).href

/** A program with a log whose reader takes nothing until it is told to. */
function startWriter(t: TestContext, script: string, out: number | 'pipe' = 'pipe') {
  const code = `import { createLog } from '${log}'; const log = createLog('info'); ${script}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', out, 'inherit', 'ipc'],
  })
  t.after(() => child.kill('SIGKILL'))
  return { ...child, message: async () => (await once(child, 'message'))[0] as number }
}

test('lines whose reader takes none wait in bounded memory, and those that are lost are counted', async (t) => {
  const lineCount = 200_000
  const { message, stdout } = startWriter(
    t,
    `const write = () => log.warn({ route: '/a/route'.repeat(20) }, 'a line')
    for (let written = 0; written < ${lineCount}; written++) {
      write()
      if (written % 1000 === 0) await new Promise(setImmediate)
    }
    process.send(process.memoryUsage().external)
    await log.flush(60_000)
    write()
    await log.flush(60_000)
    process.disconnect()`,
  )
  const bytes = await message()
  assert.ok(bytes < 40_000_000, `${bytes} bytes`)
  const lines = (await text(stdout as Readable)).trimEnd().split('\n')
  const parsed = lines.map((line) => JSON.parse(line) as { lostLineCount?: number })
  const lost = parsed.filter(({ lostLineCount }) => lostLineCount !== undefined)
  const sum = lost.reduce((total, { lostLineCount = 0 }) => total + lostLineCount, 0)
  assert.ok(sum > 0)
  assert.equal(lines.length - lost.length + sum, lineCount + 1)
})

test('a flush waits for the reader no longer than it is told, and else for every line', async (t) => {
  const lines = `for (let line = 0; line < 5000; line++) log.warn({ because: 'x'.repeat(100) }, 'y')`
  const flush = `process.send(await log.flush(300) ? 1 : 0); `
  const stalled = startWriter(t, `${lines}; ${flush}`)
  assert.equal(await stalled.message(), 0)
  const read = startWriter(t, `${lines}; process.send(1); await log.flush(60_000); process.exit()`)
  const [written] = await Promise.all([text(read.stdout as Readable), read.message()])
  assert.equal(written.trimEnd().split('\n').length, 5000)
})

test('a full disk ends neither the program nor its flush', async (t) => {
  const script = `log.warn({}, 'x'.repeat(100_000)); process.send(await log.flush(5000) ? 1 : 0)`
  const { message } = startWriter(t, script, openSync('/dev/full', 'w'))
  assert.equal(await message(), 0)
})
