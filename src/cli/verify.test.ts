// `strongroom verify` as an operator runs it: heads that are kept elsewhere, and what it says of
// files it cannot use.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { bank, type Bank } from '../../test/support/bank.ts'
import { run } from '../../test/support/program.ts'
import type { LocalAddress } from '../database/connect.ts'

const hash = '0'.repeat(64)

type Scene = Bank & {
  folder: string
  strongroom(...args: string[]): Promise<{ code: number | null; said: string; out: string }>
}

async function scene(t: TestContext): Promise<Scene> {
  const made = await bank(t)
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-heads-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const { user, password, host, port, database } = made.address as LocalAddress
  const [login, where] = [`${user}:${encodeURIComponent(password)}`, encodeURIComponent(host)]
  const url = `postgres://${login}@localhost:${port}/${database}?host=${where}`
  return {
    ...made,
    folder,
    async strongroom(...args) {
      const program = run(args, { DATABASE_URL: url })
      const code = await program.ended
      return { code, said: program.err(), out: program.out() }
    },
  }
}

test('heads that were written are proven to be on their chains, until one is not', async (t) => {
  const { strongroom, folder, account, ledger, order, sql } = await scene(t)
  const [from, to] = [await account(100n), await account()]
  await ledger.submit(order(from, to))
  const file = path.join(folder, 'heads')
  const first = await strongroom('verify', '--heads', file)
  assert.equal(first.code, 0, first.said)
  const [, digest = ''] = /^Digest of all heads: ([0-9a-f]{64})$/m.exec(first.said) ?? []
  const lines = (await readFile(file, 'utf8')).split('\n')
  assert.equal(lines.pop(), '')
  assert.equal(lines.pop(), `digest ${digest}`)
  assert.equal(
    createHash('sha256')
      .update(`${lines.join('\n')}\n`)
      .digest('hex'),
    digest,
  )
  assert.ok(lines.some((line) => line.startsWith(`${from} 2 `)))
  assert.deepEqual(await readdir(folder), ['heads'])

  // The books go on, and the heads are still in them.
  await ledger.submit(order(from, to, { key: 'again' }))
  const second = await strongroom('verify', '--since', file, '--heads', file)
  assert.equal(second.code, 0, second.said)
  assert.ok(second.said.includes(`The heads with the digest ${digest} are on their chains.\n`))
  assert.notEqual(await readFile(file, 'utf8'), `${lines.join('\n')}\ndigest ${digest}\n`)

  // A head of the same place with another hash, as after books that were written anew from there.
  const bent = lines.map((line) => line.replace(/^(\S+ [1-9]\d*) .*/, `$1 ${hash}`))
  const other = bent.join('\n')
  const otherDigest = createHash('sha256').update(`${other}\n`).digest('hex')
  const forged = path.join(folder, 'forged')
  await writeFile(forged, `${other}\ndigest ${otherDigest}\n`)
  const another = await strongroom('verify', '--since', forged)
  assert.equal(another.code, 1)
  assert.match(another.said, /Entry \d+ of account \S+: it is another than in the earlier heads/)
  await rm(forged)

  // As somebody with all rights would rewrite history: consistent in itself.
  await sql('set session_replication_role = replica')
  await sql('truncate entries, transfers, claims, recent_transfers')
  await sql(`update accounts set balance = 0, last_seq = 0, last_hash = null, last_entry_at = null`)
  assert.equal((await strongroom('verify')).code, 0)
  const rewritten = await strongroom('verify', '--since', file, '--heads', file)
  assert.equal(rewritten.code, 1)
  assert.match(
    rewritten.said,
    /^The books are not sound\. Account \S+: its chain ends at entry 0, earlier heads have \d+\./,
  )
  assert.deepEqual(await readdir(folder), ['heads'])
})

const head = (id: string, seq: string) => `${id.repeat(8)}-0000-0000-0000-000000000000 ${seq} `
const lines = `${head('1', '0')}${hash}\n${head('2', '3')}${hash}\n`
const digest = createHash('sha256').update(lines).digest('hex')

const damaged: [what: string, content: string, because: string][] = [
  ['nothing', '', 'its last line, the digest, is missing'],
  ['something else', '{"heads": []}\n', 'line 1 is not a head'],
  ['a part only', lines, 'its last line, the digest, is missing'],
  ['one more line', `${lines}digest ${digest}\n${lines}`, 'line 4 stands behind the digest'],
  ['another number', `${lines.replace(' 3 ', ' 4 ')}digest ${digest}\n`, 'its digest is not that'],
  ['no order', lines.split('\n').toReversed().join('\n').trim(), 'line 2 is not in the order'],
  ['one endless line', 'f'.repeat(200_000), 'it has a line that is too long'],
]

test('a file of heads that cannot be used is told in one line, exit code 2', async (t) => {
  const { strongroom, folder } = await scene(t)
  const file = path.join(folder, 'heads')
  for (const [what, content, because] of damaged) {
    await writeFile(file, content)
    const { code, said } = await strongroom('verify', '--since', file)
    assert.equal(code, 2, what)
    assert.ok(said.startsWith(`The file of heads ${file} cannot be used: ${because}`), said)
    assert.equal(said.indexOf('\n'), said.length - 1)
  }
  await writeFile(file, `${lines}digest ${digest}\n`)
  const { code, said } = await strongroom('verify', '--since', file)
  assert.equal(code, 1)
  assert.match(said, /Account 11111111-0000-0000-0000-000000000000 is missing\.\n$/)
  const nowhere = path.join(folder, 'no', 'heads')
  for (const option of ['--since', '--heads']) {
    const answer = await strongroom('verify', option, nowhere)
    assert.equal(answer.code, 2)
    assert.match(answer.said, /^The file of heads .* cannot be used: ENOENT.*\n$/)
  }
})

test('erase and export-person say in one line what is wrong, and write what is asked', async (t) => {
  const { strongroom, account, sql } = await scene(t)
  await account(5n)
  const wrong: [args: string[], said: string][] = [
    [['erase'], 'Say either --person or --before.\n'],
    [['erase', '--before', '2026-02-30'], '--before is a day, such as 2015-12-31.\n'],
    [['erase', '--person', 'ada'], '--person is the identifier of a user: a UUID in lower case.\n'],
    [
      ['erase', '--before', '2020-01-01', '--retention-years', '101'],
      '--retention-years is a whole number from 0 to 100.\n',
    ],
    [['export-person', 'nobody'], 'There is no such user.\n'],
  ]
  for (const [args, said] of wrong) {
    assert.deepEqual(await strongroom(...args), { code: 1, said, out: '' })
  }
  const young = await strongroom('erase', '--before', '2026-06-01')
  assert.match(young.said, /^Records from \d{4}-\d\d-\d\d on are within their legal time\.\n$/)
  assert.equal(young.code, 1)
  const old = await strongroom('erase', '--before', '2026-06-01', '--retention-years', '0')
  assert.equal(old.said, 'The texts of 1 transfers were erased.\n')
  const exported = await strongroom('export-person', 'ada')
  assert.deepEqual([exported.code, exported.said], [0, ''])
  assert.equal(JSON.parse(exported.out).person.username, 'ada')
  const verified = await strongroom('verify')
  assert.match(verified.said, /The texts of 1 transfers are erased\.\n/)
  const rows = await sql(`select action from audit_events where address = 'operator' order by id`)
  assert.deepEqual(rows, [{ action: 'erase' }, { action: 'exportPerson' }])
})
