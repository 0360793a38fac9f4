// The bank code for an operator: numbers of a sponsor bank, and starts that do not fit the books.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { newIban, toIban } from '../../src/domain/iban.ts'
import { cloneTemplate, cluster } from '../support/database.ts'
import { run } from '../support/program.ts'

const bank = { country: 'IE', prefix: 'AIBK931152' }
const settings = { BANK: 'IE/AIBK931152', IBANS: 'pool' }

test('a file of numbers is added wholly or not at all, and a start that does not fit the accounts ends with 2', async (t) => {
  const shared = await cluster()
  t.after(() => shared.stop())
  const { address, stop } = await cloneTemplate(shared)
  t.after(stop)
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-ibans-'))
  t.after(() => rm(folder, { recursive: true }))
  const { user, password, database, host, port } = address
  const url = `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
  const ibans = async (args: string[], more: Record<string, string> = {}) => {
    const program = run(['ibans', ...args], { DATABASE_URL: url, ...settings, ...more })
    return { code: await program.ended, out: program.out(), err: program.err() }
  }
  const file = path.join(folder, 'numbers')
  const add = async (text: string) => {
    await writeFile(file, text)
    return ibans(['--add', file])
  }
  const [one = '', two = ''] = ['00000001', '00000002'].map((digits) => toIban(bank, digits))

  const both = await add(`${one.replace(/.{4}(?=.)/g, '$& ')}\r\n\n${two}\n`)
  assert.deepEqual([both.code, both.err], [0, '2 added.\n'])
  const again = await add(one)
  assert.deepEqual([again.code, again.err], [0, '0 added; 1 were there, or are of an account.\n'])
  assert.deepEqual((await ibans(['--left'])).out, '2\n')
  for (const [text, problem] of [
    [`${newIban(bank)}\nIE29AIBK93115212345679\n`, /line 2: this is not an IBAN\.\n$/],
    [`${newIban(bank)}\nDE89370400440532013000\n`, /line 2: this is not an IBAN of this bank\.\n$/],
    [`${one}\n${two}\n${one}`, /line 3: the same as line 1\.\n$/],
    ['\n', /has no IBAN\.\n$/],
  ] as const) {
    const refused = await add(text)
    assert.deepEqual([refused.code, refused.out], [2, ''])
    assert.match(refused.err, problem)
  }
  assert.equal((await ibans(['--add', path.join(folder, 'none')])).code, 2)
  assert.equal((await ibans([])).code, 2)
  assert.equal((await ibans(['--left'])).out, '2\n')
  assert.match((await ibans(['--add', file], { IBANS: 'drawn' })).err, /IBANS is drawn|no IBAN/)

  const owner = new pg.Client({ ...address, options: '-c search_path=strongroom' })
  await owner.connect()
  await owner.query(
    `insert into accounts (id, owner_id, iban, currency, created_at)
     select gen_random_uuid(), id, $1, 'EUR', now() from users where username = 'ada'`,
    [one],
  )
  const ports = { HTTPS_PORT: '0', HTTP_PORT: '0', METRICS_PORT: '0', DATA_DIR: folder }
  const common = { ...ports, DATABASE_URL: url, PUBLIC_URL: 'https://bank.example' }
  const wrong = run([], common)
  t.after(() => wrong.child.kill('SIGKILL'))
  assert.equal(await wrong.ended, 2)
  assert.match(wrong.err(), /^There are open accounts of IE\/AIBK931152, which neither [^\n]+\.\n$/)
  await owner.query(`update accounts set status = 'closed' where iban = $1`, [one])
  await owner.end()

  const warned = /"message":"no bank has this bank code; set STRONGROOM_BANK"/g
  const warnedOfCheck =
    /"message":"no check digits: set STRONGROOM_BANK_CHECK or STRONGROOM_IBANS=pool"/g
  const german = { BANK: 'DE/37040044' }
  for (const [more, count, checkCount] of [
    [{}, 1, 0],
    [{ PUBLIC_URL: 'https://localhost:8443' }, 0, 0],
    [settings, 0, 0],
    [german, 0, 1],
    [{ ...german, BANK_CHECK: '13' }, 0, 0],
    [{ ...german, IBANS: 'pool' }, 0, 0],
  ] as const) {
    const program = run([], { ...common, ...more })
    t.after(() => program.child.kill('SIGKILL'))
    await program.says(/"message":"ready"/)
    program.child.kill('SIGTERM')
    assert.equal(await program.ended, 0)
    assert.equal(program.out().match(warned)?.length ?? 0, count)
    assert.equal(program.out().match(warnedOfCheck)?.length ?? 0, checkCount)
  }
})
