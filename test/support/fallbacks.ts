// Where a source falls back instead of naming every word: a table that may lack some, or a look-up
// that says something else for what it lacks.
import ts from 'typescript5'

const { SyntaxKind } = ts

/** The table or look-up, as it is written, of each place that can hide a new word. */
export function findFallbacks(file: string, source: string): string[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const tables = new Set<string>()
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node)) {
      if (isTable(node)) for (const name of namesIn(node.name)) tables.add(name)
      const { type, initializer } = node
      if (type && mayLack(type) && initializer && isKnown(initializer)) {
        found.push(node.name.getText())
      }
    }
    if (ts.isAsExpression(node) && mayLack(node.type) && isWritten(plain(node.expression))) {
      found.push(node.type.getText())
    }
    if (ts.isSatisfiesExpression(node) && isPartial(node.type)) found.push(node.type.getText())
    if (ts.isAsExpression(node) && /^keyof\b/.test(node.type.getText())) found.push(node.getText())
    const left = isOtherwise(node) ? node.left : undefined
    if (left && ts.isElementAccessExpression(left) && tables.has(rootOf(left))) {
      if (!ts.isLiteralExpression(left.argumentExpression)) found.push(left.getText())
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

/** `{…}`, also `as const` or `satisfies …`; the texts of a language, or a part of them. */
function isTable({ type, initializer }: ts.VariableDeclaration): boolean {
  if (type && /\bRecord</.test(type.getText())) return true
  if (!initializer) return false
  return ts.isObjectLiteralExpression(plain(initializer)) || isOfTexts(initializer)
}

const isOfTexts = (node: ts.Expression): boolean =>
  /^(texts\(\)|mails\[)/.test(node.getText()) ||
  /\btexts\(\)/.test(node.getText().split('=>')[0] ?? '')

/** An object with members of its own that are written here. */
const isWritten = (node: ts.Expression): boolean =>
  ts.isObjectLiteralExpression(node) &&
  node.properties.filter((each) => !ts.isSpreadAssignment(each)).length > 1

/** Such an object, or one by its name: its keys are known. */
const isKnown = (node: ts.Expression): boolean => {
  const inner = plain(node)
  return ts.isIdentifier(inner) || ts.isPropertyAccessExpression(inner) || isWritten(inner)
}

const plain = (node: ts.Expression): ts.Expression =>
  ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node)
    ? plain(node.expression)
    : node

const namesIn = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((each) => (ts.isBindingElement(each) ? namesIn(each.name) : []))

/** `Record<string, …>`, which any word may be in, or `Partial<Record<…>>`. */
const mayLack = (node: ts.TypeNode): boolean =>
  /^(Readonly<)?Record<\s*string,/.test(node.getText()) || isPartial(node)

const isPartial = (node: ts.TypeNode): boolean =>
  /^(Readonly<)?Partial<\s*(Readonly<)?Record</.test(node.getText())

const isOtherwise = (node: ts.Node): node is ts.BinaryExpression =>
  ts.isBinaryExpression(node) &&
  [SyntaxKind.QuestionQuestionToken, SyntaxKind.BarBarToken].includes(node.operatorToken.kind)

const rootOf = (node: ts.Expression): string => /^\w*/.exec(node.getText())?.[0] ?? ''
