// Builds the client into `client/dist`: one file of plain JavaScript and its declarations, and one
// file of the command line, which holds its dependency too. Run by `npm pack` and `npm publish` in
// client/.
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'

const folder = import.meta.dirname
const root = path.dirname(folder)
const out = path.join(folder, 'dist')

rmSync(out, { recursive: true, force: true })
const common = { absWorkingDir: folder, bundle: true, format: 'esm', logLevel: 'warning' } as const
await build({
  ...common,
  entryPoints: ['src/index.ts'],
  outfile: path.join(out, 'index.js'),
  platform: 'neutral',
  target: 'es2022',
})
await build({
  ...common,
  entryPoints: ['cli/main.ts'],
  outfile: path.join(out, 'cli.js'),
  platform: 'node',
  target: 'node22',
  banner: { js: '#!/usr/bin/env node' },
})

const declared = mkdtempSync(path.join(tmpdir(), 'strongroom-client-'))
try {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  const emitting = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly']
  const places = ['--rootDir', root, '--outDir', declared]
  execFileSync(process.execPath, [tsc, '-p', folder, ...emitting, ...places], { stdio: 'inherit' })
  const sources = path.join(declared, 'client/src')
  for (const file of readdirSync(sources)) {
    const text = readFileSync(path.join(sources, file), 'utf8')
    // Every TypeScript resolves `.js`; only some resolve `.ts` in a declaration.
    const resolvable = text.replace(/(from '\.\/\w+)\.ts'/g, `$1.js'`)
    if (/from '\.\.\/|\.ts'/.test(resolvable)) throw new Error(`${file} refers outside the package`)
    writeFileSync(path.join(out, file), resolvable)
  }
} finally {
  rmSync(declared, { recursive: true, force: true })
}
copyFileSync(path.join(root, 'LICENSE'), path.join(out, 'LICENSE'))
// The command line holds the code of commander, whose licence wants its text beside it.
copyFileSync(path.join(root, 'node_modules/commander/LICENSE'), path.join(out, 'LICENSE-commander'))
