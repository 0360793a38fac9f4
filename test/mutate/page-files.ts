// Files of the page reach a test in a bundle, which V8 counts as one script and no hook of Node
// changes: esbuild puts the mutant in, and tells which files it has read.
import { appendFileSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'esbuild'
import { presentMutant, withMutant } from './present-mutant.ts'

const root = path.join(import.meta.dirname, '../..')

/** Stands beside the reports of V8, one file a line. */
export const readFilesName = 'page-files'

export const pageFiles: Plugin = {
  name: 'page files',
  setup({ onLoad }) {
    const mutant = presentMutant()
    const reports = process.env['NODE_V8_COVERAGE']
    onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
      const name = path.relative(root, file)
      if (reports) appendFileSync(path.join(reports, readFilesName), `${name}\n`)
      if (name !== mutant?.file) return undefined
      return { contents: withMutant(mutant, readFileSync(file, 'utf8')), loader: 'ts' }
    })
  },
}
