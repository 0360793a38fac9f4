// Builds the package into `dist/`: JavaScript in the folders of the sources, and the files that the
// program reads beside them. Node runs no TypeScript below `node_modules`. Run by `npm pack` and
// `npm publish`, after the portal is built.
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { thirdPartyLicences } from './licences.ts'

const root = path.dirname(import.meta.dirname)
const out = path.join(root, 'dist')

rmSync(out, { recursive: true, force: true })
const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
execFileSync(process.execPath, [tsc, '-p', import.meta.dirname], { stdio: 'inherit' })
const isRead = (file: string): boolean => !/\.(ts|md)$/.test(file)
for (const folder of ['src', 'migrations', 'portal/dist']) {
  const [from, to] = [root, out].map((place) => path.join(place, folder)) as [string, string]
  cpSync(from, to, { recursive: true, filter: isRead })
}
writeFileSync(path.join(out, 'THIRD-PARTY-LICENCES.txt'), thirdPartyLicences(root))
