#!/usr/bin/env node
// Plain JavaScript without dependencies, so that a Node too old for the program can say so itself.
const needed = [24, 11]
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < needed[0] || (major === needed[0] && minor < needed[1])) {
  console.error(
    `Strongroom needs Node ${needed.join('.')} or newer and this is ${process.versions.node}: ` +
      'run `npm ci` without leaving out the development dependencies (they bring the right one), ' +
      'or install a newer Node.',
  )
  process.exitCode = 2
} else {
  const { main } = await import('../src/main.ts')
  await main(process.argv)
}
