import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../domain/errors.ts'
import { bounded, createPasswords, hashersFor } from './passwords.ts'

test('hashing leaves a core and two threads to everything else, however many there are', () => {
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

test('no more are at work than may be, in turn, and what finds the queue full is refused unworked', async () => {
  const limited = bounded(2, 3)
  const begun: number[] = []
  const ends: (() => void)[] = []
  let [running, most] = [0, 0]
  const jobs = Array.from({ length: 7 }, (_, number) =>
    limited(async () => {
      begun.push(number)
      most = Math.max(most, ++running)
      await new Promise<void>((resolve) => ends.push(resolve))
      running--
      return number
    }),
  )
  for (const job of await Promise.allSettled(jobs.slice(5))) {
    assert.ok(job.status === 'rejected' && job.reason instanceof Refusal)
    assert.equal(job.reason.code, 'unavailable')
  }
  assert.deepEqual(begun, [0, 1])
  const rest = Promise.all(jobs.slice(0, 5))
  while (ends.length > 0) {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  assert.deepEqual(await rest, [0, 1, 2, 3, 4])
  assert.deepEqual([begun, most], [[0, 1, 2, 3, 4], 2])
})

test('work that fails gives its place back', async () => {
  const limited = bounded(1, 0)
  for (let turn = 0; turn < 3; turn++) {
    await assert.rejects(
      limited(() => Promise.reject(new Error('curse'))),
      /curse/,
    )
  }
  assert.equal(await limited(async () => 'done'), 'done')
})

test('passwords are kept as argon2id with 19 MiB and two passes, each with a salt of its own', async () => {
  const { hash, verify } = await createPasswords()
  const [one, other] = [await hash('seven lean kine'), await hash('seven lean kine')]
  for (const kept of [one, other]) {
    assert.match(kept, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22,}\$[\w+/]{43}$/)
    assert.equal(await verify(kept, 'seven lean kine'), true)
    assert.equal(await verify(kept, 'seven lean kin'), false)
    assert.equal(await verify(kept, 'Seven lean kine'), false)
  }
  assert.notEqual(one, other)
  assert.equal(await verify(null, 'a password that nobody has'), false)
})

test('nothing of a password is cut off or left out: each character counts, up to the last', async () => {
  const { hash, verify } = await createPasswords()
  const long = `${'correct horse '.repeat(9)}x`
  const kept = await hash(long)
  for (const other of [long.slice(0, -1), `${long} `, ` ${long}`, long.replace(/x$/, 'X')]) {
    assert.equal(await verify(kept, other), false)
  }
  const kept72 = await hash('é🐎\u0000tail'.repeat(8))
  assert.equal(await verify(kept72, 'é🐎\u0000tail'.repeat(8)), true)
  assert.equal(await verify(kept72, 'é🐎'.repeat(8)), false)
})
