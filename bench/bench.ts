// `npm run bench -- <name>`: measures the product beside the plain thing, in one run on one
// machine.
const [name = 'transfers', ...options] = process.argv.slice(2)
const benches: Record<string, () => Promise<{ run(options: readonly string[]): Promise<void> }>> = {
  transfers: () => import('./transfers.ts'),
}
const load = benches[name]
if (load) {
  const bench = await load()
  await bench.run(options)
} else {
  process.stderr.write(`There is no bench ${name}; there are: ${Object.keys(benches).join(', ')}\n`)
  process.exitCode = 1
}
