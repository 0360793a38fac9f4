// What the figures were measured on: they mean nothing without it.
import { open, rm } from 'node:fs/promises'
import { availableParallelism, cpus, release, tmpdir, totalmem } from 'node:os'
import path from 'node:path'
import { findBinaries, run } from '../src/database/embedded-program.ts'
import { toSpread } from './harness.ts'
import { findProgram, generator } from './load.ts'

export type Machine = {
  processor: string
  cores: number
  memoryGigabytes: number
  kernel: string
  node: string
  postgresql: string
  pgbench: boolean
  /** Of 8 KB appended to a file in the folder of the data. */
  fsyncMilliseconds: number
  generator: string
}

export async function describeMachine(): Promise<Machine> {
  const { postgres } = await findBinaries()
  const { output } = await run(postgres, ['--version'], undefined)
  return {
    processor: cpus()[0]?.model.trim() ?? '',
    cores: availableParallelism(),
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    postgresql: /[\d.]+/.exec(output)?.[0] ?? '',
    pgbench: (await findProgram('pgbench')) !== undefined,
    fsyncMilliseconds: await measureFsync(),
    generator: await generator(),
  }
}

/** As pg_test_fsync does: writes a page, waits for the disk, again and again; the median. */
async function measureFsync(): Promise<number> {
  const name = path.join(tmpdir(), `strongroom-fsync-${process.pid}`)
  const file = await open(name, 'w')
  const page = Buffer.alloc(8192, 1)
  const times: number[] = []
  try {
    for (let turn = 0; turn < 200; turn++) {
      const started = performance.now()
      await file.write(page, 0, page.length, (turn % 64) * page.length)
      await file.datasync()
      times.push(performance.now() - started)
    }
  } finally {
    await file.close()
    await rm(name)
  }
  return toSpread(times).median
}
