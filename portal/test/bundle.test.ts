// What a browser loads: its size, and that every text is one of the language files.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { parse } from 'acorn'
import { transformSync } from 'esbuild'
import { routes } from '../../src/features/routes.ts'
import { texts as commonInGerman } from '../src/texts/de.ts'
import { texts as ofCustomersInGerman } from '../src/texts/de-customer.ts'
import { texts as ofStaffInGerman } from '../src/texts/de-staff.ts'
import { texts as common } from '../src/texts/en.ts'
import { texts as ofCustomers } from '../src/texts/en-customer.ts'
import { texts as ofStaff } from '../src/texts/en-staff.ts'

const english = { ...common, ...ofCustomers, ...ofStaff }
const german = { ...commonInGerman, ...ofCustomersInGerman, ...ofStaffInGerman }

const folder = path.join(import.meta.dirname, '..')
const assets = path.join(folder, 'dist/assets')
const built = readdirSync(assets)

const size = (file: string): number =>
  gzipSync(readFileSync(path.join(assets, file)), { level: 9 }).length

/** The script and what it imports before it runs. */
function withImports(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  const code = readFileSync(path.join(assets, file), 'utf8')
  for (const [, name = ''] of code.matchAll(/(?:import|from)"\.\/([\w-]+\.js)"/g)) {
    withImports(name, found)
  }
  return found
}

/** The screens of a group are loaded late: `staff:()=>import("./screens-….js")`. */
function findScreens(group: string): string {
  const late = new RegExp(`\\b${group}:\\(\\)=>import\\("\\./((?!(?:en|de)-)[\\w-]+\\.js)"\\)`)
  const found = built
    .filter((file) => file.endsWith('.js'))
    .map((file) => late.exec(readFileSync(path.join(assets, file), 'utf8'))?.[1])
    .find((file) => file !== undefined)
  return found ?? assert.fail(`${group} has no screens`)
}

const findOne = (pattern: RegExp): string =>
  built.find((file) => pattern.test(file)) ?? assert.fail(String(pattern))

const filesOf = (entries: readonly string[]): Set<string> =>
  new Set(entries.flatMap((entry) => [...withImports(entry)]))

const bytesOf = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + size(file), 0)

for (const [group, kibibytes, later] of [
  ['customer', 35, 'customerRare'],
  ['staff', 40, 'operations'],
] as const) {
  for (const language of ['en', 'de']) {
    const load = () => {
      const texts = [language, `${language}-${group}`].map((name) =>
        findOne(new RegExp(`^${name}-[A-Z\\d]{8}\\.js$`)),
      )
      return filesOf([findOne(/^main-.*\.js$/), findScreens(group), ...texts])
    }
    test(`the daily script of a ${group} in "${language}" is at most ${kibibytes} KB gzipped`, () => {
      const files = load()
      const bytes = bytesOf(files)
      assert.ok(bytes > 20_000, `${bytes} bytes: not all files were found`)
      assert.ok(bytes <= kibibytes * 1024, `${bytes} bytes in ${[...files].join(', ')}`)
    })

    test(`what a ${group} loads in "${language}" for later screens is at most 12 KB more`, () => {
      const bytes = bytesOf(filesOf([findScreens(later)]).difference(load()))
      assert.ok(bytes > 1000 && bytes <= 12 * 1024, `${bytes} bytes`)
    })
  }
}

test('the style is at most 8 KB gzipped', () => {
  const bytes = size(findOne(/^style-.*\.css$/))
  assert.ok(bytes <= 8 * 1024, `${bytes} bytes`)
})

const sources = readdirSync(path.join(folder, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('texts'))
  .map((file) => ({ file, code: readFileSync(path.join(folder, 'src', file), 'utf8') }))

/** `signIn.ended.idle` for each text. */
function listKeys(texts: object, before = ''): string[] {
  return Object.entries(texts).flatMap(([key, text]: [string, unknown]) =>
    typeof text === 'object' ? listKeys(text as object, `${before}${key}.`) : [before + key],
  )
}

test('every text is there in each language, and is used', () => {
  assert.deepEqual(listKeys(german), listKeys(english))
  const code = sources.map((source) => source.code).join('\n')
  // The errors are looked up by the code of the answer; so are all that lie deeper than a section.
  const keys = listKeys(english)
    .filter((key) => !key.startsWith('errors.'))
    .map((key) => key.split('.')[1] ?? '')
  const unused = keys.filter((key) => !new RegExp(`[.'"]${key}\\b|[{,] ${key}[,:} ]`).test(code))
  assert.deepEqual(unused, [])
})

test('what all load, or only customers, uses no texts of the others', () => {
  const isOf = (file: string) => /^screens\/(customer|staff)\//.exec(file)?.[1]
  for (const { file, code } of sources) {
    const others = [
      ...(isOf(file) === 'customer' ? [] : Object.keys(ofCustomers)),
      ...(isOf(file) === 'staff' ? [] : Object.keys(ofStaff)),
    ]
    const used = others.filter((name) => new RegExp(`(texts\\(\\)|\\bt)\\.${name}\\b`).test(code))
    assert.deepEqual(used, [], file)
  }
})

test('every operation that the audit trail may name has words', () => {
  const { actions } = english.audit
  const untold = routes.map(({ operation }) => operation).filter((name) => !(name in actions))
  assert.deepEqual(untold, ['getHealthz', 'getReadyz', 'getWellKnownJwksJson'])
})

/** Names that are the same in every language. */
const names = new Set(['IBAN', 'UTC', 'English', 'Deutsch', 'Strongroom'])
const shownProperties = new Set([
  'alt',
  'aria-label',
  'caption',
  'children',
  'hint',
  'label',
  'placeholder',
  'title',
])

type Node = { type: string } & Record<string, unknown>

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value

/** Texts that are written where they are shown, rather than in the language files. */
function findLiterals(node: unknown, isShown = false): string[] {
  if (Array.isArray(node)) return node.flatMap((item) => findLiterals(item, isShown))
  if (!isNode(node)) return []
  if (node.type === 'Literal') return isShown ? [String(node['value'])] : []
  if (node.type === 'TemplateElement') {
    return isShown ? [(node['value'] as { cooked: string }).cooked] : []
  }
  if (node.type === 'ConditionalExpression') {
    return [
      ...findLiterals(node['test']),
      ...findLiterals([node['consequent'], node['alternate']], isShown),
    ]
  }
  if (node.type === 'LogicalExpression') {
    return [...findLiterals(node['left']), ...findLiterals(node['right'], isShown)]
  }
  if (node.type === 'Property') {
    const { name, value } = node['key'] as { name?: string; value?: string }
    return findLiterals(node['value'], shownProperties.has(name ?? value ?? ''))
  }
  const passes = ['ArrayExpression', 'TemplateLiteral'].includes(node.type)
  return Object.values(node).flatMap((child) => findLiterals(child, isShown && passes))
}

test('no screen shows words of its own: all are texts of the language', () => {
  for (const { file, code } of sources.filter((source) => source.file.endsWith('.tsx'))) {
    const options = { loader: 'tsx', jsx: 'automatic', jsxImportSource: 'preact' } as const
    const script = transformSync(code, options).code
    const tree = parse(script, { ecmaVersion: 'latest', sourceType: 'module' })
    const words = findLiterals(tree)
      .flatMap((text) => text.match(/\p{L}{2,}/gu) ?? [])
      .filter((word) => !names.has(word))
    assert.deepEqual(words, [], file)
  }
})
