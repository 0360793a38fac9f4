import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../domain/errors.ts'
import { boundedHashing, createPasswords, hashersFor } from './passwords.ts'

test('hashing leaves one core and two threads free, on any machine', () => {
  const machines: [cores: number, threads: number, hashers: number][] = [
    [1, 4, 1],
    [2, 4, 1],
    [3, 4, 2],
    [64, 4, 2],
    [8, 16, 7],
    [64, 16, 14],
    [8, 1, 1],
  ]
  for (const [cores, threads, hashers] of machines) {
    assert.equal(hashersFor(cores, threads), hashers, `${cores} cores, ${threads} threads`)
  }
})

test('work is bounded and runs in order, and work that finds the queue full is refused', async () => {
  const limited = boundedHashing(2, 3)
  const started: number[] = []
  const releases: (() => void)[] = []
  let [running, runningMax] = [0, 0]
  const jobs = Array.from({ length: 7 }, (_, number) =>
    limited(async () => {
      started.push(number)
      runningMax = Math.max(runningMax, ++running)
      await new Promise<void>((resolve) => releases.push(resolve))
      running--
      return number
    }),
  )
  for (const job of await Promise.allSettled(jobs.slice(5))) {
    assert.ok(job.status === 'rejected' && job.reason instanceof Refusal)
    assert.equal(job.reason.code, 'unavailable')
  }
  assert.deepEqual(started, [0, 1])
  const rest = Promise.all(jobs.slice(0, 5))
  while (releases.length > 0) {
    releases.shift()?.()
    await new Promise(setImmediate)
  }
  assert.deepEqual(await rest, [0, 1, 2, 3, 4])
  assert.deepEqual([started, runningMax], [[0, 1, 2, 3, 4], 2])
})

test('failed work releases its place', async () => {
  const limited = boundedHashing(1, 0)
  for (let turn = 0; turn < 3; turn++) {
    await assert.rejects(
      limited(() => Promise.reject(new Error('broken'))),
      /broken/,
    )
  }
  assert.equal(await limited(async () => 'done'), 'done')
})

test('passwords are stored as argon2id with 19 MiB and two passes, each with its own salt', async () => {
  const { hash, verify } = await createPasswords()
  const [one, other] = [await hash('seven lean kine'), await hash('seven lean kine')]
  for (const stored of [one, other]) {
    assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22,}\$[\w+/]{43}$/)
    assert.equal(await verify(stored, 'seven lean kine'), true)
    assert.equal(await verify(stored, 'seven lean kin'), false)
    assert.equal(await verify(stored, 'Seven lean kine'), false)
  }
  assert.notEqual(one, other)
  assert.equal(await verify(null, 'a password that nobody has'), false)
})

test('every character of a password counts, up to the last', async () => {
  const { hash, verify } = await createPasswords()
  const long = `${'correct horse '.repeat(9)}x`
  const stored = await hash(long)
  for (const other of [long.slice(0, -1), `${long} `, ` ${long}`, long.replace(/x$/, 'X')]) {
    assert.equal(await verify(stored, other), false)
  }
  const storedBytes = await hash('é🐎\u0000tail'.repeat(8))
  assert.equal(await verify(storedBytes, 'é🐎\u0000tail'.repeat(8)), true)
  assert.equal(await verify(storedBytes, 'é🐎'.repeat(8)), false)
})
