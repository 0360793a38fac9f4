// Statements in the language of the account's holder, in every language that there is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statements } from '../../../languages/statement.ts'
import { newProgram } from '../../../test/support/service-accounts.ts'
import { readCsv, readPdf } from '../../../test/support/statement-files.ts'
import { sceneIn, transferBody } from '../../../test/support/fixture.ts'
import { people, world } from '../../../test/support/world.ts'
import { languages } from '../../domain/languages.ts'
import { createDays, always } from '../../domain/days.ts'
import { openFaces } from './paper/faces.ts'
import { wordsIn } from './pdf-words.ts'
import { toRuns } from './paper/runs.ts'

const codes = Object.keys(languages) as (keyof typeof languages)[]
const berlin = createDays([{ since: always, timeZone: 'Europe/Berlin' }])
const at = Date.UTC(2026, 2, 1, 12, 30)

/** All that a PDF may print in a language but names and references. */
function printed(code: (typeof codes)[number]): string {
  const words = wordsIn(code, berlin)
  const own = Object.values(statements[code]).map((text) =>
    typeof text === 'function' ? String((text as (...of: unknown[]) => unknown)('1', '2')) : text,
  )
  const months = Array.from({ length: 12 }, (_, month) => {
    const time = Date.UTC(2026, month, 15)
    return `${words.longDate(time)} ${words.shortDate(time)} ${words.zone(time)}`
  })
  const moments = `${words.periodBegin(at)} ${words.periodEnd(at)} ${words.zones(at, at + 1)}`
  const amount = words.amount(-123_456_789n, 'EUR')
  return [JSON.stringify(own), ...months, moments, amount].join(' ')
}

test('every letter, figure and space of a language is in the first font of a PDF', () => {
  const faces = openFaces()
  for (const code of codes) {
    for (const weight of ['regular', 'bold'] as const) {
      const { runs, isReplaced } = toRuns(printed(code), weight, faces)
      assert.equal(isReplaced, false, code)
      for (const { face, text } of runs) {
        assert.ok(face.isFirst, `${code}: ${text}`)
        const { glyphs } = face.font.layout(text, [])
        assert.ok(
          glyphs.every(({ id }) => id !== 0),
          `${code}: ${text}`,
        )
      }
    }
  }
})

test('dates, times and amounts have the form of the language, and amounts are exact', () => {
  const shown = (code: (typeof codes)[number]) => {
    const words = wordsIn(code, berlin)
    const money = words.amount(-900_719_925_474_099_312n, 'EUR')
    return [words.longDate(at), words.periodBegin(at), money, words.amount(1_234_567n, 'JPY')].map(
      (text) => text.replace(/[\u00a0\u202f]/g, ' '),
    )
  }
  assert.deepEqual(shown('en'), [
    '1 March 2026',
    '1 Mar 2026, 13:30:00 CET',
    '-9,007,199,254,740,993.12',
    '1,234,567',
  ])
  assert.deepEqual(shown('de'), [
    '1. März 2026',
    '01.03.2026, 13:30:00 MEZ',
    '-9.007.199.254.740.993,12',
    '1.234.567',
  ])
  assert.deepEqual(shown('fr'), [
    '1 mars 2026',
    '1 mars 2026, 13:30:00 UTC+1',
    '-9 007 199 254 740 993,12',
    '1 234 567',
  ])
  assert.equal(
    statements.fr.period('1 mars 2026', '11 mars 2026'),
    'Du 1er mars 2026 au 11 mars 2026',
  )
  assert.deepEqual(shown('es'), [
    '1 de marzo de 2026',
    '1 mar 2026, 13:30:00 CET',
    '-9.007.199.254.740.993,12',
    '1.234.567',
  ])
})

test('a PDF and the heads of a CSV file are in the language of the holder, whoever asks, and a closed period keeps its bytes by language', async (t) => {
  const bank = await world(t, { settings: { TIME_ZONE: 'Europe/Berlin' } })
  const { ada, root, from, to, clock } = await sceneIn(bank, '1234.56')
  await ada.post('/api/v1/transfers', transferBody(from, to))
  const read = async (client: Pick<typeof ada, 'get'>, format: string) => {
    clock.advance(1000)
    const period = 'from=2026-01-01&to=2026-01-31'
    const reply = await client.get(`/api/v1/accounts/${from}/statement?${period}&format=${format}`)
    assert.equal(reply.status, 200, reply.text)
    return reply.bytes
  }
  clock.advance(31 * 24 * 3_600_000)
  for (const [name, voice] of Object.entries({ ada, root })) {
    Object.assign(voice, await bank.login(name as 'ada' | 'root'))
  }
  const heads = async (client: Pick<typeof ada, 'get'>) =>
    Object.keys(readCsv(await read(client, 'csv'))[0] ?? {})
  const seen = new Map<string, Buffer>()
  for (const language of [...codes, ...codes]) {
    const chosen = await ada.patch('/api/v1/me', { language })
    assert.equal(chosen.status, 200, chosen.text)
    const { csv, title, opening, kinds } = statements[language]
    assert.deepEqual(await heads(ada), Object.values(csv), language)
    const own = await read(ada, 'pdf')
    assert.ok((await read(root, 'pdf')).equals(own), 'staff get the same file')
    assert.ok((seen.get(language) ?? own).equals(own), `${language}, issued again`)
    seen.set(language, own)
    const text = (await readPdf(own)).texts.join(' ')
    for (const part of [title, opening, kinds.deposit, 'Europe/Berlin']) {
      assert.ok(text.includes(part), `${language}: ${part}`)
    }
  }
  assert.equal(new Set([...seen.values()].map(String)).size, codes.length)
  // A program knows the columns by their English names.
  const program = await newProgram(
    { ...bank, as: async () => root },
    { readAccounts: people.ada.id },
  )
  assert.deepEqual(await heads(program), Object.values(statements.en.csv))
})
