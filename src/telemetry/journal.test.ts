import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isJournal, withPriority } from './journal.ts'
import { createLog } from './log.ts'

function opened(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), 'strongroom-journal-'))
  const file = path.join(folder, 'journal')
  const fd = openSync(file, 'w')
  t.after(() => (closeSync(fd), rmSync(folder, { recursive: true })))
  const { dev, ino } = fstatSync(fd, { bigint: true })
  return { fd, stream: `${dev}:${ino}`, read: () => readFileSync(file, 'utf8') }
}

test('only an output with the device and inode of JOURNAL_STREAM is the journal', (t) => {
  const { fd, stream } = opened(t)
  assert.equal(isJournal(fd, stream), true)
  const [device = '', inode = ''] = stream.split(':')
  for (const other of [
    undefined,
    '',
    device,
    `${device}:`,
    `${device}:${inode}0`,
    `1${device}:${inode}`,
    ` ${stream}`,
    `${stream}\n`,
    'no stream',
  ]) {
    assert.equal(isJournal(fd, other), false, String(other))
  }
})

test('each line of the log begins with its priority in the journal, and with none elsewhere', () => {
  const lines: string[] = []
  for (const isRead of [true, false]) {
    const options = { isJournal: isRead }
    const log = createLog('trace', (line) => void lines.push(line), 'none', options)
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]({}, level)
    const terms = { requestId: 'r', method: 'GET', route: '/', status: 200, milliseconds: 1 }
    log.answered({ ...terms, userId: undefined, address: '' })
  }
  assert.deepEqual(
    lines.map((line) => line.split('{')[0]),
    ['<7>', '<6>', '<4>', '<3>', '<6>', '', '', '', '', ''],
  )
  for (const line of lines) JSON.parse(line.replace(/^<\d>/, ''))
  assert.equal(withPriority('{"level":60,'), '<2>{"level":60,')
})

const program = fileURLToPath(new URL('../../bin/strongroom.js', import.meta.url))

for (const [where, priority] of [
  ['in the journal', '<3>'],
  ['elsewhere', ''],
] as const) {
  test(`a command that fails says why, ${where}, with the priority ${priority || 'of none'}`, (t) => {
    const { fd, stream, read } = opened(t)
    const JOURNAL_STREAM = priority === '' ? `${stream}0` : stream
    const env = { ...process.env, JOURNAL_STREAM, STRONGROOM_LOG_LEVEL: 'loud', STRONGROOM_X: '1' }
    const { status } = spawnSync(process.execPath, [program, 'serve'], {
      env,
      stdio: ['ignore', 'ignore', fd],
    })
    assert.equal(status, 2)
    const lines = read().trimEnd().split('\n')
    assert.equal(lines.length, 2)
    for (const line of lines) assert.match(line, new RegExp(`^${priority}STRONGROOM_`))
  })
}
