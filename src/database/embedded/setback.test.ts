import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDiskFull, toSetback } from './setback.ts'

const at = '2026-11-23 19:45:31.100 UTC [4711] '

test('a start that another server is in the way of is tried again', () => {
  const lines = [
    'FATAL:  lock file "postmaster.pid" already exists',
    'FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use',
  ]
  for (const line of lines) {
    const reason = line.slice('FATAL:  '.length)
    assert.deepEqual(toSetback(`${at}LOG:  starting\n${at}${line}\n`), { reason, mayPass: true })
  }
  assert.deepEqual(toSetback(''), { reason: 'it was stopped', mayPass: true })
})

test('the last words of sessions are not why PostgreSQL did not start', () => {
  const endings = [
    'FATAL:  terminating connection due to unexpected postmaster exit',
    'FATAL:  terminating connection due to administrator command',
    'FATAL:  the database system is starting up',
    'FATAL:  the database system is shutting down',
  ]
  const log = endings.map((line) => `${at}${line}\n`).join('')
  assert.deepEqual(toSetback(log), { reason: 'it was stopped', mayPass: true })
  const why = 'could not load server certificate file "server.crt": No such file'
  assert.deepEqual(toSetback(`${at}FATAL:  ${why}\n${log}`), { reason: why, mayPass: false })
})

test('the last failure counts, whichever word it begins with', () => {
  const log = `${at}FATAL:  lock file is there\n${at}PANIC:  could not locate a valid checkpoint record\n`
  const reason = 'could not locate a valid checkpoint record'
  assert.deepEqual(toSetback(log), { reason, mayPass: false })
  const program = 'postgres: error: invalid option\n'
  assert.deepEqual(toSetback(program), { reason: 'invalid option', mayPass: false })
})

test('a missing control file, and a full disk, are told by their own line', () => {
  const log = `postgres: could not find the database system
Expected to find it in the directory "/data/postgres",
but could not open file "/data/postgres/global/pg_control": No such file or directory
`
  const reason = 'could not open file "/data/postgres/global/pg_control": No such file or directory'
  assert.deepEqual(toSetback(log), { reason, mayPass: false })
  const full = `${at}FATAL:  could not write lock file "postmaster.pid": No space left on device\n`
  assert.ok(isDiskFull(toSetback(full).reason))
  assert.ok(!isDiskFull(reason))
})
