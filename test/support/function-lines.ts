// How many lines each function of a source file has, from its first to its last.
import { SourceMap, type SourceMapPayload, stripTypeScriptTypes } from 'node:module'
import { type AnyNode, parse } from 'acorn'
import { transformSync } from 'esbuild'

type FunctionLines = { name: string; lines: number }
type Script = { code: string; lineAt: (offset: number) => number }

/** Functions within it count for a function too. One without a name has that of what takes it. */
export function functionLines(file: string, source: string): FunctionLines[] {
  const { code, lineAt } = file.endsWith('.tsx') ? withoutElements(source) : withoutTypes(source)
  const found: FunctionLines[] = []
  /** Gives the last line of the node. */
  function visit(node: AnyNode, name: string): number {
    let last = lineAt(node.end - 1)
    for (const [key, value] of Object.entries(node)) {
      for (const child of [value].flat() as (AnyNode | null | undefined)[]) {
        if (typeof child?.type !== 'string') continue
        last = Math.max(last, visit(child, nameIn(node, key) ?? name))
      }
    }
    if (/Function/.test(node.type)) {
      const own = (node as { id?: { name: string } | null }).id?.name ?? name
      found.push({ name: own, lines: last - lineAt(node.start) + 1 })
    }
    return last
  }
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), '')
  return found
}

/** What a node calls the value under `key`. */
function nameIn(node: AnyNode, key: string): string | undefined {
  const nameOf = (named: AnyNode) => (named.type === 'Identifier' ? named.name : undefined)
  if (node.type === 'VariableDeclarator') return nameOf(node.id)
  if (node.type === 'Property' || node.type === 'MethodDefinition') return nameOf(node.key)
  if (node.type !== 'CallExpression' || key !== 'arguments') return undefined
  const { callee } = node
  return `${nameOf(callee.type === 'MemberExpression' ? callee.property : callee)}()`
}

/** Types become blanks, so all offsets are those of the file. */
function withoutTypes(source: string): Script {
  const starts = [...source.matchAll(/^/gm)].map(({ index }) => index)
  return {
    code: stripTypeScriptTypes(source),
    lineAt: (offset) => starts.findLastIndex((start) => start <= offset) + 1,
  }
}

/** Elements become calls. Lines of closing tags at the end of an arrow function are not counted. */
function withoutElements(source: string): Script {
  const { code, map } = transformSync(source, { loader: 'tsx', jsx: 'automatic', sourcemap: true })
  const origin = new SourceMap(JSON.parse(map) as SourceMapPayload)
  const starts = [...code.matchAll(/^/gm)].map(({ index }) => index)
  return {
    code,
    lineAt(offset) {
      const line = starts.findLastIndex((start) => start <= offset)
      const entry = origin.findEntry(line, offset - (starts[line] as number))
      return 'originalLine' in entry ? entry.originalLine + 1 : 1
    },
  }
}
