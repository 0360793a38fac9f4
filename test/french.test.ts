// French typography: a sign of two parts and a quotation mark stay on the line of their words.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { type Node, parse, type Property, type TemplateElement } from 'acorn'
import { transformSync } from 'esbuild'

const root = path.join(import.meta.dirname, '..')
const filesIn = (folder: string) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => path.join(folder, file))
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

/** Without what it imports and the names of properties. */
function listTexts(node: Node | null, found: string[] = []): string[] {
  if (!node || /^(Import|Export)\w*From|ImportDeclaration/.test(node.type)) return found
  const { type, value } = node as Node & { value?: unknown }
  if (type === 'Literal' && typeof value === 'string') found.push(value)
  if (type === 'TemplateElement') {
    found.push((node as TemplateElement).value.cooked ?? '')
  }
  const isProperty = type === 'Property' && !(node as Property).computed
  for (const [name, child] of Object.entries(node)) {
    if (isProperty && name === 'key') continue
    for (const each of [child].flat() as (Node | null)[]) {
      if (typeof each?.type === 'string') listTexts(each, found)
    }
  }
  return found
}

/** No words: what a spreadsheet and a program read. */
const signs = [';', 'Authorization: Bearer']
const torn = /(?<!\u00a0)[:;?!»]|«(?!\u00a0)/

test('in every French text, of pages, mails and papers, no line can break before : ; ? ! or inside « »', () => {
  const texts = filesIn('languages/fr').flatMap((file) => {
    const { code } = transformSync(read(file), { loader: 'ts' })
    return listTexts(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }))
  })
  const plain = texts.map((text) => signs.reduce((rest, sign) => rest.replace(sign, ''), text))
  assert.ok(plain.filter((text) => text.includes('\u00a0')).length > 150)
  assert.deepEqual(
    plain.filter((text) => torn.test(text)),
    [],
  )
})

test('a page joins no texts by a colon or quotation marks of its own: each language has them', () => {
  const own = /\$\{[^{}]*\}: |\}:\{' '\}|join\(': '\)|[“”«»„]/
  for (const file of filesIn('portal/src')) {
    const lines = read(file).split('\n')
    const line = lines.findIndex((text) => own.test(text) && !/^\s*(\/\/|\*|\/\*)/.test(text))
    assert.equal(line, -1, `${file}:${line + 1}`)
  }
})
