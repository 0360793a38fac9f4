// Small changes of a source file, one at a time: each makes the program wrong, and a test has to
// notice. Types are replaced by blanks before parsing, so all offsets are those of the file.
import { stripTypeScriptTypes } from 'node:module'
import { type AnyNode, parse } from 'acorn'
import { sqlChanges } from './sql-changes.ts'

/** A replacement of the text from `start` to before `end`. */
export type Change = { start: number; end: number; text: string; kind: string }
export type Mutant = Change & {
  file: string
  line: number
  before: string
  /** The constant of the file in whose value the change is, such as a statement. */
  constant?: string
}

type Child = AnyNode & Record<string, unknown>

const swapped = new Map(
  Object.entries({
    '===': '!==',
    '!==': '===',
    '<': '<=',
    '<=': '<',
    '>': '>=',
    '>=': '>',
    '-': '+',
    '*': '/',
    '&&': '||',
    '||': '&&',
    min: 'max',
    max: 'min',
    some: 'every',
    every: 'some',
  }),
)

/** All mutants of a file, in the order of its text. */
export function mutantsIn(file: string, source: string): Mutant[] {
  const script = stripTypeScriptTypes(source)
  if (script.length !== source.length) throw new Error(`${file}: stripping types moved the text`)
  const changes: (Change & { constant?: string })[] = []
  const root = parse(script, { ecmaVersion: 'latest', sourceType: 'module' })
  for (const statement of root.body) {
    const constant = namedValue(statement)
    visit(statement as Child, (node) => {
      for (const change of changesAt(node, script)) changes.push({ ...change, ...constant })
    })
  }
  return changes
    .toSorted((one, other) => one.start - other.start)
    .map((change) => ({
      ...change,
      file,
      line: source.slice(0, change.start).split('\n').length,
      before: source.slice(change.start, change.end),
    }))
}

/** The name that a statement of the module gives to a value; a function's body runs on its own. */
function namedValue(statement: AnyNode): { constant?: string } {
  const declared =
    statement.type === 'ExportNamedDeclaration' ? statement.declaration : (statement as AnyNode)
  if (declared?.type !== 'VariableDeclaration') return {}
  const [first] = declared.declarations
  if (first?.id.type !== 'Identifier' || first.init?.type === 'ArrowFunctionExpression') return {}
  return { constant: first.id.name }
}

function visit(node: Child, enter: (node: Child) => void): void {
  enter(node)
  for (const value of Object.values(node)) {
    for (const child of [value].flat() as (Child | null | undefined)[]) {
      if (typeof child?.type === 'string') visit(child, enter)
    }
  }
}

function changesAt(node: Child, script: string): Change[] {
  const textOf = ({ start, end }: { start: number; end: number }) => script.slice(start, end)
  const put = (kind: string, text: string, at: { start: number; end: number } = node): Change => {
    return { kind, text, start: at.start, end: at.end }
  }
  /** The operator between two operands; comments do not hold one. */
  const operator = (left: AnyNode, right: AnyNode, from: string, to: string): Change => {
    const start = left.end + script.slice(left.end, right.start).indexOf(from)
    return { kind: `${from} to ${to}`, text: to, start, end: start + from.length }
  }
  switch (node.type) {
    case 'BinaryExpression': {
      const to = swapped.get(node.operator)
      if (to === undefined || node.left.type === 'PrivateIdentifier') return []
      return [operator(node.left, node.right, node.operator, to)]
    }
    case 'LogicalExpression': {
      if (node.operator !== '??') {
        return [
          operator(node.left, node.right, node.operator, swapped.get(node.operator) as string),
        ]
      }
      return node.right.type === 'CallExpression' ? [put('no fallback', textOf(node.left))] : []
    }
    case 'IfStatement':
    case 'ConditionalExpression':
      return [put('always', 'true', node.test), put('never', 'false', node.test)]
    case 'UnaryExpression':
      return node.operator === '!' ? [put('no negation', textOf(node.argument))] : []
    case 'ExpressionStatement': {
      const { expression } = node
      const called = expression.type === 'AwaitExpression' ? expression.argument : expression
      return called.type === 'CallExpression' ? [put('no call', 'void 0', expression)] : []
    }
    case 'CallExpression': {
      const { callee } = node
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return []
      const { name } = callee.property
      if (name === 'filter') return [put('no filter', textOf(callee.object))]
      const to = swapped.get(name)
      return to === undefined ? [] : [put(`${name} to ${to}`, to, callee.property)]
    }
    case 'Literal': {
      if (typeof node.value === 'boolean') return [put('boolean', String(!node.value))]
      if (typeof node.value === 'number') {
        // One more than a thousand is within the tolerance of what a time-out or a bound promises.
        const more = node.value < 1000 ? node.value + 1 : 2 * node.value
        return [put('constant', String(more))]
      }
      return typeof node.value === 'bigint' ? [put('constant', `${node.value + 1n}n`)] : []
    }
    case 'TemplateLiteral':
      return sqlChanges(script.slice(node.start + 1, node.end - 1)).map((change) => {
        const begin = node.start + 1
        return { ...change, start: begin + change.start, end: begin + change.end }
      })
    default:
      return []
  }
}
