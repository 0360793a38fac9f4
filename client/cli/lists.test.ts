// `strongroom client lists`: a file is checked, shown, ordered with a second factor, and reported.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { enrolTotp, stepMs } from '../../test/support/factors.ts'
import { readBalance, scene } from '../../test/support/fixture.ts'
import { pain001 } from '../../test/support/pain001.ts'
import { password } from '../../test/support/world.ts'

const bin = fileURLToPath(new URL('../../bin/strongroom.js', import.meta.url))

test('a list goes from a file to its report, and a person with a factor confirms what is shown', async (t) => {
  const bank = await scene(t, '1000.00')
  const { ada, from } = bank
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-cli-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const login = path.join(folder, 'login')
  const fileOf = async (name: string, text: string): Promise<string> => {
    const file = path.join(folder, name)
    await writeFile(file, text)
    return file
  }
  const use = (args: readonly string[], input = '') => {
    const all = [bin, 'client', ...args, '--folder', login]
    const child = spawn(process.execPath, all, { stdio: 'pipe' })
    const said = { out: '', err: '' }
    child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()))
    child.stdin.end(input)
    return new Promise<typeof said & { code: number | null }>((resolve) =>
      child.on('close', (code) => resolve({ ...said, code })),
    )
  }
  const url = `https://localhost:${bank.running.httpsPort}`
  const ca = bank.running.certificate.caPath as string
  const begun = ['login', '--url', url, '--ca', ca, '--username', 'ada']
  const { code: codeOf } = await enrolTotp(bank, ada)
  assert.equal((await use(begun, `${password}\n${codeOf(1)}\n`)).code, 0)

  const debtorIban = (await ada.get(`/api/v1/accounts/${from}`)).body.iban as string
  const text = pain001(
    [{ name: 'Jürgen Groß', amount: '12.50' }, { iban: 'DE89370400440532013001' }],
    { debtorIban, messageId: 'RUN-1', version: '09' },
  )
  const xml = await fileOf('run.xml', `\ufeff${text}`)
  const sent = await use(['lists', 'send', xml, '--from', debtorIban, '--key', 'k'])
  assert.deepEqual([sent.code, sent.err], [0, ''], sent.err)
  const [, id = ''] = /^List +(\S{36})$/m.exec(sent.out) ?? []
  assert.match(sent.out, /^To be paid +1 of 2: 12\.50 EUR$/m)
  assert.match(sent.out, /^Line {2}Refusal +ISO 20022\n +2 {2}invalid_request +AC01$/m)
  const again = await use(['lists', 'send', xml, '--from', from, '--key', 'k'])
  assert.deepEqual(again, sent, 'one list, by its key')

  const refused = await use(['lists', 'execute', id])
  assert.deepEqual([refused.code, refused.out], [2, ''])
  const [, hash = ''] = /^Hash +([0-9a-f]{64})$/m.exec(sent.out) ?? []
  for (const shown of [
    /^Payments +1$/m,
    /^Together +12\.50$/m,
    /^Largest +12\.50 Jürgen Groß GB33BUKB20201555555555$/m,
    new RegExp(`^Hash +${hash}$`, 'm'),
  ]) {
    assert.match(refused.err, shown)
  }
  bank.clock.advance(2 * stepMs)
  const ordered = await use(['lists', 'execute', id], `${codeOf()}\n`)
  assert.equal(ordered.code, 0, ordered.err)
  assert.match(ordered.out, /^State +ordered, for 2026-01-02$/m)
  await bank.running.core.paymentLists.work()
  assert.equal(await readBalance(ada, from), '987.50')
  const shown = await use(['lists', 'show', id])
  assert.match(shown.out, /^State +executed, for 2026-01-02$/m)
  assert.match(shown.out, /^ +1 {2}made +12\.50 {2}Jürgen Groß +GB33BUKB20201555555555 +Salary$/m)
  const out = path.join(folder, 'report.xml')
  assert.equal((await use(['lists', 'report', id, '--out', out])).code, 0)
  assert.match(await readFile(out, 'utf8'), /<GrpSts>PART<\/GrpSts>/)

  const item = { name: 'Grace', iban: 'GB33BUKB20201555555555', amount: '1.00' }
  const json = await fileOf('run.json', JSON.stringify({ currency: 'EUR', items: [item] }))
  const asJson = await use(['lists', 'send', json, '--from', from, '--json'])
  const made = JSON.parse(asJson.out) as { id: string; lines: object[] }
  assert.deepEqual(made.lines, [{ index: 0, status: 'ready' }])
  assert.equal((await use(['lists', 'cancel', made.id])).code, 0)
  const none = await use(['lists', 'show', made.id, '--refused', '--json'])
  const { status, lines } = JSON.parse(none.out) as { status: string; lines: object[] }
  assert.deepEqual([status, lines], ['cancelled', []])
  const neither = await use(['lists', 'send', await fileOf('run.csv', 'a;b'), '--from', from])
  assert.deepEqual([neither.code, neither.err.endsWith('is neither XML nor JSON\n')], [2, true])
})
