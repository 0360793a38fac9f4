// Runs the commands of docs/RUNBOOK.md on a bank: a payment that was refused, a frozen account, a
// stolen key, a lost administrator.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { until } from '../support/mailbox.ts'
import { freePort, run } from '../support/program.ts'

const execute = promisify(execFile)
const runbook = await readFile(new URL('../../docs/RUNBOOK.md', import.meta.url), 'utf8')
const step = (name: string): string =>
  new RegExp(`<!-- run: ${name} -->\n\`\`\`sh\n([^]*?)\`\`\``).exec(runbook)?.[1] ??
  assert.fail(`The runbook has no commands named ${name}`)

/** What the night is about: Ada pays once, is refused once, and her account is frozen. */
const before = `
post() {
  curl -s "$bank/$2" -H 'content-type: application/json' -H "authorization: Bearer $1" -d "$3"
}
post "$admin" admin/users '{"username":"ada","email":"ada@example.com","givenName":"Ada",
  "familyName":"Okafor","roles":["customer"],"password":"seven lean kine and a barn"}' >/dev/null
ada=$(curl -s $bank/auth/login -H 'content-type: application/json' \
  -d '{"username":"ada","password":"seven lean kine and a barn"}' | field token)
account=$(post "$ada" accounts '{"currency":"EUR"}' | field id)
savings=$(post "$ada" accounts '{"currency":"EUR"}' | field id)
post "$admin" admin/accounts/$account/deposits \
  '{"amount":"60.00","currency":"EUR","reason":"Paid in"}'
for amount in 40.00 25.00; do
  post "$ada" transfers "{\\"fromAccountId\\":\\"$account\\",\\"toAccountId\\":\\"$savings\\",
    \\"amount\\":\\"$amount\\",\\"currency\\":\\"EUR\\"}"
done
post "$admin" admin/accounts/$account/freeze '{"reason":"Reported stolen"}'
declare -p ada account > "$state"
`

test('the commands of the runbook answer their questions on a bank', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-runbook-'))
  await chmod(folder, 0o755)
  t.after(() => rm(folder, { recursive: true, force: true }))
  const data = path.join(folder, 'data')
  const port = await freePort()
  const password = 'the heron waits by seven weirs'
  const ports = { HTTPS_PORT: String(port), HTTP_PORT: '0', METRICS_PORT: '0' }
  const bank = run([], { DATA_DIR: data, ADMIN_PASSWORD: password, ...ports })
  t.after(() => bank.child.kill('SIGKILL'))
  await bank.says(/Strongroom is ready/)
  const log = path.join(folder, 'log')
  const state = path.join(folder, 'state')
  const shell = async (...scripts: string[]): Promise<string> => {
    const script = scripts
      .join('\n')
      .replaceAll('localhost:8443', `localhost:${port}`)
      .replaceAll('/var/lib/strongroom', data)
      .replaceAll('journalctl -u strongroom -o cat --since today', `cat '${log}'`)
      .replaceAll(
        'npm run -s strongroom --',
        `STRONGROOM_DATA_DIR='${data}' node bin/strongroom.js`,
      )
    const settings = `set -u; exec 2>&1; state='${state}'; admin_password='${password}'`
    return (await execute('bash', ['-c', `${settings}\n${script}`])).stdout
  }
  const login = step('login')
  const made = await shell(login, before)
  assert.match(made, /"code":"insufficient_funds"[^]*"status":"frozen"/)
  await until('the log', () => bank.out().includes('/freeze"'))
  await writeFile(log, bank.out())
  const known = `. '${state}'`

  const refused = await shell(login, known, step('refused'))
  const lines = refused.trim().split('\n')
  assert.equal(lines.length, 2, refused)
  assert.match(lines[0] ?? '', /"route":"\/api\/v1\/transfers","status":201,"milliseconds"/)
  assert.match(lines[1] ?? '', /"status":409,"code":"insufficient_funds"/)

  const booked = await shell(login, known, step('booked'))
  assert.match(booked, /"amount":"-?40\.00"/)
  assert.doesNotMatch(booked, /25\.00/)

  const frozen = await shell(login, known, step('frozen'))
  assert.match(frozen, /"action":"freezeAccount"[^]*"detail":"Reported stolen"[^]*\nadmin$/)

  assert.match(await shell(step('disk')), /\d+% [^]*postgres\n/)
  assert.match(await shell(step('statements')), /waits_for[^]*\(\d+ rows\)/)
  assert.match(await shell(step('verify')), /The books are sound[^]*exit code 0\n$/)

  assert.match(await shell(step('admin')), /\S{12,}/)
  assert.match(await shell(step('stolen')), /All sessions are ended/)
  const again = await shell(login, known, 'curl -s $bank/me -H "authorization: Bearer $ada"')
  assert.match(again, /"code":"(session_revoked|unauthenticated)"/)
  bank.child.kill('SIGTERM')
  assert.equal(await bank.ended, 0)
})
