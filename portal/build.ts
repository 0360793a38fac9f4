// Builds the portal into `portal/dist`: the index, its hashed files, and the paths of its pages,
// for which the server answers with the index. Takes less than a second.
import { createHash } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'esbuild'
import { pages } from './src/pages.ts'

const folder = import.meta.dirname
const out = path.join(folder, 'dist')
/** Written beside and moved: a service that starts meanwhile reads old files or new ones. */
const fresh = path.join(folder, `dist-${process.pid}`)

const built = await build({
  absWorkingDir: folder,
  entryPoints: { main: 'src/main.tsx', style: 'src/styles/main.css' },
  outdir: path.join(fresh, 'assets'),
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: ['chrome120', 'firefox121', 'safari17.4'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
})

const icon = await readFile(path.join(folder, 'icon.svg'))
const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`
await writeFile(path.join(fresh, 'assets', iconName), icon)

const nameOf = (entry: string): string => {
  const found = Object.entries(built.metafile.outputs).find(([, file]) => file.entryPoint === entry)
  return path.basename((found as [string, unknown])[0])
}
const html = (await readFile(path.join(folder, 'index.html'), 'utf8'))
  .replace('main.css', nameOf('src/styles/main.css'))
  .replace('main.js', nameOf('src/main.tsx'))
  .replace('icon.svg', iconName)
await writeFile(path.join(fresh, 'index.html'), html)
const paths = Object.values(pages).map((page) => page.path)
await writeFile(path.join(fresh, 'pages.json'), JSON.stringify(paths))

await rm(out, { recursive: true, force: true })
await rename(fresh, out)
