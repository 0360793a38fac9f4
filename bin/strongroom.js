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
  boundYoungGeneration()
  const { join } = await import('node:path')
  const { enableCompileCache } = await import('node:module')
  // What Node makes of the program is kept beside it, and makes the next start shorter. Whoever may
  // write there may change the program itself; where nobody may, there is no cache.
  enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/strongroom'))
  // One thread collects what is short-lived. By default several share each millisecond of that
  // work, and a request takes a tenth more of the processor's time.
  const { setFlagsFromString } = await import('node:v8')
  setFlagsFromString('--no-parallel-scavenge')
  // A full collection is due when the old generation is half as large again as what was alive. By
  // default it may be four times as large: 315 MB were resident under load with this, 417 without,
  // at the same processor time (20 pairs of a busy machine: 0.8 to 1.4, median 1.00).
  setFlagsFromString('--heap-growing-percent=50')
  // At the start, with a small young generation, V8 finds that rows of the database live long, and
  // makes them in the old one from then on; with each goes all it refers to. Without that a quarter
  // less is moved there, and a read takes 0.95 of the processor's time (12 pairs: 0.74 to 1.07).
  setFlagsFromString('--no-allocation-site-pretenuring')
  const { main } = await import('../src/cli/main.ts')
  await main(process.argv)
}

/**
 * Starts the service anew in the same process, since V8 reads this size only at its own start: 22
 * ms. By default it is 32: 381 MB were resident under load, 329 with 24, 280 with 16. The processor
 * time of a read differs by less than the machine did from run to run.
 */
function boundYoungGeneration() {
  const [, program, command = 'serve', ...rest] = process.argv
  const given = [...process.execArgv, process.env.NODE_OPTIONS].join(' ')
  if (command !== 'serve' || /max.semi.space.size/.test(given)) return
  // Not on Windows, nor where it would close the channel of a parent.
  if (!program || !process.execve || process.connected) return
  const options = ['--max-semi-space-size=24', ...process.execArgv]
  process.execve(process.execPath, [process.argv0, ...options, program, command, ...rest])
}
