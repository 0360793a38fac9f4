// Modules of the page as one script, as a browser gets them: Node runs no JSX.
import path from 'node:path'
import { build, type BuildOptions } from 'esbuild'
import { pageFiles } from '../../test/mutate/page-files.ts'

type Bundle = Pick<BuildOptions, 'format' | 'globalName'> & {
  /** Files below `portal/src`, and packages. */
  modules: readonly string[]
  /** In place of the module that loads texts by their names from the folder of the build. */
  scripts: string
}

/** The text of one script that exports what the modules export. */
export async function bundled({ modules, scripts, ...options }: Bundle): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    stdin: {
      contents: modules
        .map((name) => `export * from '${/\.tsx?$/.test(name) ? './' : ''}${name}'`)
        .join('\n'),
      resolveDir: path.join(import.meta.dirname, '../src'),
    },
    bundle: true,
    write: false,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [
      {
        name: 'texts',
        setup({ onLoad }) {
          onLoad({ filter: /state\/scripts\.ts$/ }, ({ path: file }) => ({
            contents: scripts,
            resolveDir: path.dirname(file),
          }))
        },
      },
      pageFiles,
    ],
  })
  return outputFiles[0]?.text ?? ''
}
