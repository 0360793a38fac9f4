// Runs docs/TOUR.md as printed, line by line, on a new bank.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { firstPassword, freePort, run } from '../support/program.ts'

const execute = promisify(execFile)
const tour = await readFile(new URL('../../docs/TOUR.md', import.meta.url), 'utf8')
const steps = [...tour.matchAll(/<!-- tour -->\n```sh\n([^]*?)```/g)].map(([, step]) => step)

test('every line of the tour works as printed, from the first login to verify', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-tour-'))
  await chmod(folder, 0o755)
  t.after(() => rm(folder, { recursive: true, force: true }))
  const port = await freePort()
  const settings = {
    DATA_DIR: path.join(folder, 'data'),
    HTTPS_PORT: String(port),
    HTTP_PORT: String(await freePort()),
    METRICS_PORT: '0',
  }
  const bank = run([], settings)
  t.after(() => bank.child.kill('SIGKILL'))
  await bank.says(/Strongroom is ready/)
  const password = await firstPassword(settings.DATA_DIR)
  const script = steps
    .map((step, index) => `echo '--- ${index}'\n${step}\n`)
    .join('')
    .replaceAll('localhost:8443', `localhost:${port}`)
    .replaceAll('$PWD/data', settings.DATA_DIR)
    .replaceAll(' data/statement', ` ${settings.DATA_DIR}/statement`)
    .replaceAll(' data/outbox', ` ${settings.DATA_DIR}/outbox`)
    .replaceAll(
      'npm run -s strongroom --',
      `STRONGROOM_DATA_DIR=${settings.DATA_DIR} node bin/strongroom.js`,
    )
  const { stdout } = await execute('bash', [
    '-c',
    `set -eu; exec 2>&1; admin_password='${password}'\n${script}`,
  ])
  const outputs = stdout.split(/--- \d+\n/).slice(1)
  const find = (text: string) => outputs[steps.findIndex((step) => step?.includes(text))] ?? ''

  assert.equal(outputs.length, steps.length, 'every step ran')
  assert.equal(find('/admin/users').match(/"status":"active"/g)?.length, 2)
  const transfers = [...find('tour-1').matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id)
  assert.equal(transfers.length, 2)
  assert.equal(transfers[0], transfers[1], 'the repeated transfer is the same one')
  assert.match(find('/details -H "$ada'), /"balance":"210.00"/)
  assert.match(
    await readFile(path.join(settings.DATA_DIR, 'statement.pdf'), 'latin1'),
    /^%PDF-1\.7[^]*%%EOF\s*$/,
  )
  const late = find('/clearings')
  assert.match(late, /"kind":"clearing"[^]*"available":"-\d[^]*"overdrawnSince":"2/)
  assert.match(find('ben='), /403[^]*"code":"forbidden"/)
  const limited = find('for i in')
  const statuses = [...limited.matchAll(/^HTTP\S+ (\d+)/gm)].map(([, status]) => status)
  assert.equal(statuses.length, 21)
  // Ten reads are allowed in a second; the read of Ada's account may be the first of them.
  assert.deepEqual(new Set(statuses.slice(0, 9)), new Set(['200']))
  assert.ok(statuses.includes('429'))
  assert.equal(statuses.at(-1), '200')
  assert.match(limited, /retry-after: 1/i)
  const carried = find('/settle')
  assert.match(carried, /written 1\b[^]*pacs\.008\.001\.08[^]*<IntrBkSttlmAmt Ccy="EUR">25\.00</)
  assert.match(carried, /"amount":"25.00".*"status":"completed"/)
  assert.match(find('/freeze'), /"status":"frozen","frozenBy":"customer"/)
  assert.match(find('password-reset/confirm'), /204[^]*session_revoked/)
  assert.match(find('audit-events'), /"balance":"185.00"[^]*"items":\[\{/)
  assert.match(find('/auth/logout'), /204[^]*401[^]*session_revoked/)
  assert.match(find('verify'), /sound|proven|match|verified/i)
  bank.child.kill('SIGTERM')
  assert.equal(await bank.ended, 0)
})
