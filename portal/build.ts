// Builds the portal into `portal/dist`: the index, its hashed files, and the paths of its pages,
// for which the server answers with the index. Takes less than a second. With `--watch` it builds
// after each change until it is interrupted.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'
import { files as texts } from '../languages/en/portal/index.ts'
import { languages } from '../src/domain/languages.ts'
import { groupTexts, pages } from './src/state/paths.ts'

const folder = import.meta.dirname
if (process.argv.includes('--watch')) {
  const watching = ['--watch-path', path.join(folder, 'src'), '--watch-preserve-output']
  const own = [...watching, import.meta.filename]
  process.exit(spawnSync(process.execPath, own, { stdio: 'inherit' }).status ?? 1)
}
const out = path.join(folder, 'dist')
/** Written beside and moved: a service that starts meanwhile reads old files or new ones. */
const fresh = path.join(folder, `dist-${process.pid}`)

/**
 * What screens of nearly every group need. Each of these would be a file of its own for the groups
 * that share it, which compresses worse and costs a request: so all scripts import them.
 */
const shared = [
  'calls/own-accounts.ts',
  'calls/payment.ts',
  'calls/sign-in.ts',
  'calls/submit.ts',
  'calls/waiting.ts',
  'pages/groups.ts',
  'parts/accounts.tsx',
  'parts/bar.tsx',
  'parts/dialog.tsx',
  'parts/field.tsx',
  'parts/fold.tsx',
  'parts/form.tsx',
  'parts/later.tsx',
  'parts/list.tsx',
  'parts/menu.tsx',
  'parts/row.tsx',
  'parts/table.tsx',
  'screens/customer/print.tsx',
  'state/draft.ts',
  'state/reset-token.ts',
  'texts/money.tsx',
  'texts/time.tsx',
  // Each file of texts needs it.
  '../../languages/plural.ts',
].map((file) => `import ${JSON.stringify(path.join(folder, 'src', file))}`)

/** Each file of texts holds the one line of its own: a script that they share is a request more. */
const withPlurals: Plugin = {
  name: 'plurals',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/plural\.ts$/ }, ({ path: relative, importer, resolveDir }) =>
      path.basename(resolveDir) === 'portal'
        ? { path: path.join(resolveDir, relative), suffix: `?${path.basename(importer)}` }
        : undefined,
    )
  },
}

/** The modules that become scripts of their own, and the lists of texts, which do not. */
const entries = new RegExp(
  [
    /src\/pages\/(main|news|shortcuts|open-movements|groups\/[\w-]+)\.tsx?$/,
    /src\/(parts\/qr|screens\/common\/(open-orders|sign-in))\.tsx$/,
    /src\/screens\/customer\/(reserved|transfer-review|payees\/whom|beside\/aside)\.tsx$/,
    /src\/screens\/customer\/orders\/order-(review|terms)\.tsx$/,
    /src\/screens\/customer\/members\/(members|send-for-signature|shared-accounts)\.tsx$/,
    /src\/screens\/staff\/(approval-request|audit-detail|cards|holds|orders|return-reason)\.tsx$/,
    /src\/screens\/staff\/(account\/blocks|finding\/work|people\/(notes|user-edit))\.tsx$/,
    /src\/screens\/staff\/(people\/orders-by|postings\/postings)\.tsx$/,
    /src\/screens\/customer\/account\/(account-rename|balance-notice|limits)\.tsx$/,
    /languages\/\w+\/portal\/[\w-]+\.ts$/,
  ]
    .map(({ source }) => source)
    .join('|'),
)

const withShared: Plugin = {
  name: 'shared',
  setup({ onLoad }) {
    onLoad({ filter: entries }, async ({ path: file }) => {
      if (path.basename(file) === 'index.ts') return undefined
      const contents = [await readFile(file, 'utf8'), ...shared].join('\n')
      return { contents, loader: 'tsx' }
    })
  },
}

const toFileName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
const groups = Object.keys(groupTexts).map((group) => {
  return [group, `src/pages/groups/${toFileName(group)}.ts`] as const
})
const textEntries = Object.keys(languages).flatMap((language) =>
  Object.keys(texts).map((name) => {
    const file = `../languages/${language}/portal/${toFileName(name)}.ts`
    return [`${name}-${language}`, file] as const
  }),
)

// Names without a hash: their folder has one of all. A hash in each name that a script loads later
// takes eight bytes of it, which do not compress, and changes with almost every build anyway.
const built = await build({
  absWorkingDir: folder,
  entryPoints: {
    main: 'src/pages/main.tsx',
    style: 'src/styles/main.css',
    ...Object.fromEntries([...groups, ...textEntries]),
  },
  outdir: path.join(fresh, 'assets/fresh'),
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  // The first that know `light-dark()` and `Map.groupBy`.
  target: ['chrome123', 'firefox121', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  legalComments: 'none',
  metafile: true,
  plugins: [withShared, withPlurals],
  logLevel: 'warning',
})

const freshAssets = path.join(fresh, 'assets/fresh')
for (const name of ['icon.svg', 'icon-192.png', 'icon-512.png', 'fonts/noto-sans.woff2']) {
  await copyFile(path.join(folder, name), path.join(freshAssets, path.basename(name)))
}
const hash = createHash('sha256')
for (const name of (await readdir(freshAssets)).toSorted()) {
  hash.update(`${name}\n`).update(await readFile(path.join(freshAssets, name)))
}
const assets = `assets/${hash.digest('hex').slice(0, 16)}`
await rename(freshAssets, path.join(fresh, assets))

const assetsOut = path.dirname(Object.keys(built.metafile.outputs)[0] as string)
const nameOf = (entry: string): string => {
  const found = Object.entries(built.metafile.outputs).find(([, file]) => file.entryPoint === entry)
  return path.basename((found as [string, unknown])[0])
}
/** What a script imports before it runs, of any depth. */
function findImports(name: string, found = new Set<string>()): Set<string> {
  const imports = built.metafile.outputs[`${assetsOut}/${name}`]?.imports ?? []
  for (const imported of imports) {
    const file = path.basename(imported.path)
    if (imported.kind !== 'import-statement' || found.has(file)) continue
    found.add(file)
    findImports(file, found)
  }
  return found
}
// Asked for together with the script that imports them: a round trip less on a slow connection.
const firstImports = findImports(nameOf('src/pages/main.tsx'))
const preloads = [...firstImports].map(
  (file) => `<link rel="modulepreload" href="/portal/assets/${file}" />`,
)
/** What the script of each group of screens imports besides: asked for together with it as well. */
const groupImports = groups.map(([group, file]) => {
  return [group, [...findImports(nameOf(file)).difference(firstImports)]] as const
})
const html = (await readFile(path.join(folder, 'index.html'), 'utf8'))
  .replace('content="{}"', `content='${JSON.stringify(Object.fromEntries(groupImports))}'`)
  .replace('    <script', `${preloads.map((link) => `    ${link}\n`).join('')}    <script`)
  .replaceAll('/portal/assets/', `/portal/${assets}/`)
await writeFile(path.join(fresh, 'index.html'), html)
// Which script holds which modules, and what it imports before it runs: for the tests.
const scripts = Object.entries(built.metafile.outputs).map(
  ([file, { entryPoint, inputs, imports }]) => ({
    file: path.basename(file),
    entry: entryPoint,
    modules: Object.keys(inputs),
    imports: imports
      .filter(({ kind }) => kind === 'import-statement')
      .map((imported) => path.basename(imported.path)),
  }),
)
await writeFile(path.join(fresh, 'scripts.json'), JSON.stringify(scripts))
const paths = Object.values(pages).map((page) => page.path)
await writeFile(path.join(fresh, 'pages.json'), JSON.stringify(paths))

await rm(out, { recursive: true, force: true })
await rename(fresh, out)
