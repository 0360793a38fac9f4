// What a browser loads: its size, and that every text is one of the language files.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { parse } from 'acorn'
import { transformSync } from 'esbuild'
import { files } from '../../languages/en/portal/index.ts'
import { languages } from '../../src/domain/languages.ts'
import type { Role } from '../../src/gate/roles.ts'
import {
  type Group,
  groupOf,
  groupTexts,
  type Page,
  type PageName,
  pages,
} from '../src/state/paths.ts'
import { lateTexts } from '../src/screens/staff/people/late-texts.ts'

const folder = path.join(import.meta.dirname, '..')
const [build = ''] = readdirSync(path.join(folder, 'dist/assets'))
const assets = path.join(folder, 'dist/assets', build)

const kebab = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

type Sections = Record<string, object>
const names = Object.keys(files).map(kebab)
const load = async (language: string, name: string) =>
  ((await import(`../../languages/${language}/portal/${name}.ts`)) as { texts: Sections }).texts
const loadAll = async (language: string) =>
  Object.assign({}, ...(await Promise.all(names.map((name) => load(language, name))))) as Sections
const english = await loadAll('en')

const size = (file: string): number =>
  gzipSync(readFileSync(path.join(assets, file)), { level: 9 }).length

type Script = { file: string; entry?: string; modules: string[]; imports: string[] }
const scripts = JSON.parse(readFileSync(path.join(folder, 'dist/scripts.json'), 'utf8')) as Script[]

/** The script of a module and those it imports before it runs. */
function withImports(entry: string, found = new Set<Script>()): Set<Script> {
  const add = (script: Script | undefined) => {
    if (!script) assert.fail(`${entry} is not a script of its own`)
    if (found.has(script)) return
    found.add(script)
    for (const file of script.imports) add(scripts.find((other) => other.file === file))
  }
  add(scripts.find((script) => script.entry === entry))
  return found
}

const textsOf = (group: Group): string[] => ['common', ...groupTexts[group].map(kebab)]
const entryOf = (group: Group): string => `src/pages/groups/${kebab(group)}.ts`

/** All that a browser with an empty cache loads to show a page of the group. */
const scriptsFor = (group: Group, language: string): Script[] => {
  const texts = textsOf(group).map((name) => `../languages/${language}/portal/${name}.ts`)
  const entries = ['src/pages/main.tsx', entryOf(group), ...texts]
  return [...new Set(entries.flatMap((entry) => [...withImports(entry)]))]
}

const bytesOf = (loaded: Iterable<Script>): number =>
  [...loaded].reduce((sum, { file }) => sum + size(file), 0)

/** Whom a page may be shown to: who is a customer and staff as well may see the pages of both. */
const people = {
  customer: ['customer'],
  agent: ['support-agent'],
  administrator: ['admin'],
  'customer and administrator': ['customer', 'admin'],
} as const satisfies Record<string, readonly Role[]>

const groupsOf = (roles: readonly Role[]): { name: PageName; group: Group }[] =>
  (Object.keys(pages) as PageName[])
    .filter((name) => {
      const { roles: seers } = pages[name] as Page
      return !Array.isArray(seers) || seers.some((role) => roles.includes(role))
    })
    .map((name) => ({ name, group: groupOf(name, roles.includes('customer')) }))

const pageBytesMax = 45 * 1024

for (const language of Object.keys(languages)) {
  for (const [who, roles] of Object.entries(people)) {
    test(`every page of a ${who} in "${language}" loads at most 45 KB of script, gzipped`, () => {
      for (const { name, group } of groupsOf(roles)) {
        const loaded = scriptsFor(group, language)
        const bytes = bytesOf(loaded)
        assert.ok(bytes > 20_000, `${name}: ${bytes} bytes: not all files were found`)
        const files = loaded.map(({ file }) => file).join(', ')
        assert.ok(bytes <= pageBytesMax, `${name}: ${bytes} bytes in ${files}`)
      }
    })
  }

  // What was measured and a few hundred bytes: a change that goes beyond says why. The last one
  // added what was spent, a page of its own with its texts; the bar of a card, and the menu of a
  // receipt; staff's pages of orders by maker and of many postings, which share the reader of a
  // list's file; the face of the pages; what a page shows again without its person.
  for (const [who, bytesMax] of [
    ['customer', 113_400],
    ['administrator', 118_000],
    ['customer and administrator', 173_400],
  ] as const) {
    test(`all pages of a ${who} in "${language}" load ${bytesMax} bytes of script at most`, () => {
      const all = groupsOf(people[who]).flatMap(({ group }) => scriptsFor(group, language))
      const bytes = bytesOf(new Set(all))
      assert.ok(bytes > pageBytesMax && bytes <= bytesMax, `${bytes} bytes`)
    })
  }
}

test('what a second factor takes is loaded by the pages of security and of a sign-in at the issuer alone, and a QR code once shown', () => {
  for (const roles of Object.values(people)) {
    for (const { name, group } of groupsOf(roles)) {
      const modules = scriptsFor(group, 'en').flatMap((script) => script.modules)
      const isOfFactors = ['security', 'signedIn'].includes(name)
      assert.equal(modules.includes('src/calls/passkeys.ts'), isOfFactors, name)
      assert.ok(!modules.some((module) => /uqr|qr\.tsx/.test(module)), name)
    }
  }
})

test('the first page names every script that the main one imports, so that none waits for another', () => {
  const index = readFileSync(path.join(folder, 'dist/index.html'), 'utf8')
  const named = [...index.matchAll(/rel="modulepreload" href="\/portal\/assets\/\w+\/([^"]+)"/g)]
  const imported = [...withImports('src/pages/main.tsx')].map(({ file }) => file)
  assert.deepEqual(
    named.map(([, file = '']) => file).toSorted(),
    imported.filter((file) => file !== 'main.js').toSorted(),
  )
  assert.ok(named.length > 0)
})

test('the first page names what the script of each group imports besides, and texts import nothing more', () => {
  const index = readFileSync(path.join(folder, 'dist/index.html'), 'utf8')
  const [, named = ''] = /name="imports" content='([^']+)'/.exec(index) ?? []
  const imports = JSON.parse(named) as Record<Group, string[]>
  const first = withImports('src/pages/main.tsx')
  for (const group of Object.keys(groupTexts) as Group[]) {
    const [, ...rest] = [...withImports(entryOf(group)).difference(first)]
    assert.deepEqual(imports[group].toSorted(), rest.map(({ file }) => file).toSorted(), group)
    for (const language of Object.keys(languages)) {
      for (const name of textsOf(group)) {
        const entry = `../languages/${language}/portal/${name}.ts`
        assert.equal(withImports(entry).difference(first).size, 1, entry)
      }
    }
  }
})

test('the style is at most 6 KB gzipped', () => {
  const bytes = size('style.css')
  assert.ok(bytes <= 6 * 1024, `${bytes} bytes`)
})

test('each file of styles is imported once, by main.css', () => {
  const styles = path.join(folder, 'src/styles')
  const main = readFileSync(path.join(styles, 'main.css'), 'utf8')
  const imported = [...main.matchAll(/^@import '\.\/([\w-]+\.css)';$/gm)].map(([, file]) =>
    String(file),
  )
  const files = readdirSync(styles).filter((file) => file !== 'main.css')
  assert.deepEqual(imported.toSorted(), files.toSorted())
})

const sources = readdirSync(path.join(folder, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file, code: readFileSync(path.join(folder, 'src', file), 'utf8') }))

/** `signIn.ended.idle` for each text. */
function listKeys(texts: object, before = ''): string[] {
  return Object.entries(texts).flatMap(([key, text]: [string, unknown]) =>
    typeof text === 'object' ? listKeys(text as object, `${before}${key}.`) : [before + key],
  )
}

test('every text is there in each language, and is used', async () => {
  for (const language of Object.keys(languages)) {
    assert.deepEqual(listKeys(await loadAll(language)), listKeys(english), language)
  }
  const code = sources.map((source) => source.code).join('\n')
  // Errors and limits are looked up by what is answered; so are all that lie deeper.
  const keys = listKeys(english)
    .filter((key) => !/^(errors|limits)\./.test(key))
    .map((key) => key.split('.')[1] ?? '')
  const unused = keys.filter((key) => !new RegExp(`[.'"]${key}\\b|[{,] ${key}[,:} ]`).test(code))
  assert.deepEqual(unused, [])
})

/** The sections of the texts that a source uses: `texts().home.pay`, or by `const t = texts()`. */
function findSections(code: string): string[] {
  const whole = code
    .split(/(?=const t = texts\(\))/)
    .filter((part) => /^const t = texts\(\)$/m.test(part))
  const found = [
    ...code.matchAll(/texts\(\)\.(\w+)/g),
    ...whole.flatMap((part) => [...part.matchAll(/\bt\.(\w+)/g)]),
  ]
  return found.map(([, name = '']) => name)
}

test('a group of screens uses the texts that are loaded with it, and no others', async () => {
  for (const group of Object.keys(groupTexts) as Group[]) {
    const late = Object.hasOwn(lateTexts, group) ? lateTexts[group as 'person'] : []
    const names = [...textsOf(group), ...late.map(kebab)]
    const loaded = await Promise.all(names.map((name) => load('en', name)))
    const has = new Set(loaded.flatMap((texts) => Object.keys(texts)))
    const modules = ['src/pages/main.tsx', entryOf(group)]
      .flatMap((entry) => [...withImports(entry)])
      .flatMap((script) => script.modules)
    const used = sources
      .filter(({ file }) => modules.includes(`src/${file}`))
      .flatMap(({ code }) => findSections(code))
    assert.ok(used.length > 20, `${used.length} uses were found`)
    assert.deepEqual(
      used.filter((section) => !has.has(section)),
      [],
      group,
    )
  }
})

test('what is loaded later uses the texts that are loaded with it, and no others', async () => {
  for (const [entry, section, ...names] of [
    ['src/screens/common/sign-in.tsx', 'signIn', 'sign-in'],
    ['src/pages/open-movements.tsx', 'movement', 'movement'],
    ['src/pages/shortcuts.tsx', 'shortcuts', 'shortcuts'],
    ['src/pages/news.tsx', 'news', 'news'],
    ['src/screens/customer/reserved.tsx', 'reserved', 'holds'],
    ['src/screens/staff/holds.tsx', 'staffHolds', 'holds', 'ledger'],
    ['src/screens/staff/audit-detail.tsx', 'auditDetails', 'audit-details', 'audit', 'disputes'],
    ['src/screens/staff/account/blocks.tsx', 'staffBlocks', 'blocks'],
    ['src/screens/staff/approval-request.tsx', 'approvals', 'operations', 'audit', 'blocks'],
    ['src/screens/staff/cards.tsx', 'cardPayments', 'cards', 'accounts', 'ledger'],
    ['src/screens/staff/orders.tsx', 'orders', 'orders'],
    [
      'src/screens/staff/people/caller.tsx',
      'caller',
      'accounts',
      'caller',
      'disputes',
      'people',
      'factors',
      'audit',
      'audit-details',
      'ledger',
      'cards',
    ],
    [
      'src/screens/staff/postings/postings.tsx',
      'postings',
      'many-postings',
      'accounts',
      'ledger',
      'trial',
    ],
    ['src/screens/staff/people/orders-by.tsx', 'openOrders', 'open-orders', 'orders', 'audit'],
    ['src/screens/staff/return-reason.tsx', 'returns', 'returns'],
    ['src/screens/customer/members/members.tsx', 'members', 'members', 'accounts'],
    ['src/screens/customer/members/shared-accounts.tsx', 'members', 'members', 'accounts'],
    ['src/screens/customer/members/send-for-signature.tsx', 'drafts', 'members'],
    ['src/screens/customer/payees/whom.tsx', 'whom', 'payees', 'accounts', 'customer'],
    ['src/screens/customer/entry-note.tsx', 'entryNote', 'entry-note'],
    ['src/screens/customer/transfer-review.tsx', 'transfer', 'accounts', 'customer'],
    ['src/screens/customer/orders/order-terms.tsx', 'orders', 'orders', 'accounts', 'customer'],
  ] as const) {
    const loaded = await Promise.all(['common', ...names].map((name) => load('en', name)))
    const has = new Set(loaded.flatMap((texts) => Object.keys(texts)))
    const modules = [...withImports(entry)].flatMap((script) => script.modules)
    const used = sources
      .filter(({ file }) => modules.includes(`src/${file}`))
      .flatMap(({ code }) => findSections(code))
    assert.ok(used.includes(section), entry)
    assert.deepEqual(
      used.filter((section) => !has.has(section)),
      [],
      entry,
    )
  }
})

test('a thing has the same name on each screen', async () => {
  type Words = Record<string, string>
  for (const language of Object.keys(languages)) {
    const { profile, customer, audit, entry, charts } = (await loadAll(language)) as Record<
      'profile' | 'customer' | 'entry' | 'charts',
      Words
    > & { audit: { fields: Words } }
    for (const words of [
      [profile, customer, audit.fields].map((texts) => texts['phone']),
      [entry['allReceived'], charts['in']],
      [entry['allPaid'], charts['out']],
    ]) {
      assert.ok(words[0])
      assert.equal(new Set(words).size, 1, `${language}: ${words.join()}`)
    }
  }
})

/** Names that are the same in every language. */
const untranslated = new Set(['IBAN', 'UTC', 'English', 'Deutsch', 'Strongroom'])
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
      .filter((word) => !untranslated.has(word))
    assert.deepEqual(words, [], file)
  }
})
