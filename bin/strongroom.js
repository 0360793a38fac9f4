#!/usr/bin/env node
// Plain JavaScript without dependencies, so that a Node too old for the program can say so itself.
const needed = [24, 11]
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  console.error(
    `Strongroom needs Node ${needed.join('.')} or newer and this is ${process.versions.node}: ` +
      'start it with `npx strongroom`, or `npm start` in the sources, which take the Node that npm ' +
      'has installed with it, or install a newer one.',
  )
  process.exitCode = 2
} else {
  const { join } = await import('node:path')
  const { enableCompileCache } = await import('node:module')
  // What Node makes of the program is kept beside it, and makes the next start shorter. Whoever may
  // write there may change the program itself; where nobody may, there is no cache.
  enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/strongroom'))
  // One thread collects what is short-lived. By default several share each millisecond of that
  // work, and a request takes up to a tenth more of the processor's time.
  const { setFlagsFromString } = await import('node:v8')
  setFlagsFromString('--no-parallel-scavenge')
  // A full collection is due when the old generation is half as large again as what was alive. By
  // default it may be four times as large, and takes longer then: p99 of reads at 64 connections was
  // 5 to 15 ms with this (five runs) and 16 to 27 without (four).
  setFlagsFromString('--heap-growing-percent=50')
  const { main } = await import('../src/cli/main.ts')
  await main(process.argv)
}
