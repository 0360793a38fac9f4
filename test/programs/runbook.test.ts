// Runs all commands behind `run` of docs/RUNBOOK.md on a bank that has something for most of them.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { openEmbedded } from '../../src/database/embedded/embedded.ts'
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
payee=$(post "$ada" accounts/$account/beneficiaries \
  '{"name":"Otto Example","iban":"DE89370400440532013000"}' | field id)
post "$ada" transfers "{\\"fromAccountId\\":\\"$account\\",\\"beneficiaryId\\":\\"$payee\\",
  \\"amount\\":\\"1.50\\",\\"currency\\":\\"EUR\\"}"
iban=$(curl -s $bank/accounts/$account -H "authorization: Bearer $ada" | field iban)
post "$admin" admin/accounts/$account/freeze '{"reason":"Reported stolen"}'
post "$admin" admin/incoming-payments "{\\"iban\\":\\"$iban\\",\\"amount\\":\\"7.00\\",
  \\"currency\\":\\"USD\\",\\"externalId\\":\\"A\\",\\"onRefusal\\":\\"suspense\\",
  \\"debtor\\":{\\"name\\":\\"Otto Example\\",\\"iban\\":\\"DE89370400440532013000\\"}}"
curl -s $bank/auth/password-reset -H 'content-type: application/json' \
  -d '{"email":"ada@example.com"}'
post "$admin" admin/webhooks '{"url":"https://127.0.0.1/strongroom","types":["account.opened"]}'
declare -p ada account > "$state"
`

/** `psql` for the commands: the last argument is the statement. */
const psql = `
import pg from 'pg'
const client = new pg.Client(JSON.parse(process.env.ADDRESS))
await client.connect()
console.log(JSON.stringify((await client.query(process.argv.at(-1))).rows))
await client.end()
`

test('the commands of the runbook answer their questions on a bank', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-runbook-'))
  await chmod(folder, 0o755)
  t.after(() => rm(folder, { recursive: true, force: true }))
  const data = path.join(folder, 'data')
  const [port, metricsPort, mailPort] = [await freePort(), await freePort(), await freePort()]
  const password = 'the heron waits by seven weirs'
  const bank = run([], {
    DATA_DIR: data,
    ADMIN_PASSWORD: password,
    HTTPS_PORT: String(port),
    HTTP_PORT: '0',
    METRICS_PORT: String(metricsPort),
    // No mail server is there.
    SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
    MAIL_FROM: 'bank@bank.example',
    PUBLIC_URL: `https://localhost:${port}`,
  })
  t.after(() => bank.child.kill('SIGKILL'))
  await bank.says(/Strongroom is ready/)
  const { address } = await openEmbedded(data)
  const log = path.join(folder, 'log')
  const state = path.join(folder, 'state')
  const shell = async (...scripts: string[]): Promise<string> => {
    const script = scripts
      .join('\n')
      .replaceAll('localhost:8443', `localhost:${port}`)
      .replaceAll('127.0.0.1:9464', `127.0.0.1:${metricsPort}`)
      .replaceAll('/var/lib/strongroom', data)
      .replaceAll('"/backup/', `"${folder}/`)
      .replaceAll('journalctl -u strongroom -o cat --since today', `cat '${log}'`)
      .replaceAll(
        'npm run -s strongroom --',
        `STRONGROOM_DATA_DIR='${data}' node bin/strongroom.js`,
      )
    const settings = `set -u; exec 2>&1; state='${state}'; admin_password='${password}'
      psql() { node --input-type=module -e "$psql" -- "$@"; }
      vacuumdb() { test "$*" = '--all --freeze --skip-locked' && psql 'vacuum (freeze)'; }`
    // A search that finds nothing is no fault.
    const env = { ...process.env, ADDRESS: JSON.stringify(address), psql }
    return (await execute('bash', ['-c', `${settings}\n${script}\ntrue`], { env })).stdout
  }
  const login = step('login')
  const made = await shell(login, before)
  assert.match(made, /"code":"insufficient_funds"[^]*"status":"frozen"/)
  for (const text of ['"route":"/api/v1/admin/webhooks"', '"message":"mail not sent; will']) {
    await until(text, () => bank.out().includes(text))
  }
  // Lines of two faults that no bank has by itself.
  const warning =
    bank
      .out()
      .split('\n')
      .find((line) => line.includes('"mail not sent')) ?? ''
  const faults = [
    'audit event not written',
    'a standing order could not be run',
    'rows could not be purged',
  ].map((message) =>
    warning
      .replace('"level":40', '"level":50')
      .replace(/"message":"[^"]*"/, `"message":"${message}"`),
  )
  await writeFile(log, [bank.out(), ...faults].join('\n'))
  const known = `. '${state}'`
  await until('the metrics', async () => (await shell(step('suspense'))).includes('USD'))
  const answers: Record<string, string> = {}
  const answer = async (name: string): Promise<string> =>
    (answers[name] = await shell(login, known, step(name)))

  const refused = await answer('refused')
  const lines = refused.trim().split('\n')
  assert.equal(lines.length, 3, refused)
  assert.match(lines[0] ?? '', /"route":"\/api\/v1\/transfers","status":201,"milliseconds"/)
  assert.match(lines[1] ?? '', /"status":409,"code":"insufficient_funds"/)

  const booked = await answer('booked')
  assert.match(booked, /"amount":"-?40\.00"/)
  assert.doesNotMatch(booked, /25\.00/)

  const frozen = await answer('frozen')
  assert.match(frozen, /"action":"freezeAccount"[^]*"detail":"Reported stolen"[^]*\nadmin$/)

  assert.match(await answer('disk'), /\d+% [^]*postgres\n/)
  assert.match(await answer('verify'), /The books are sound[^]*exit code 0\n$/)
  assert.match(await answer('statements'), /waits_for[^]*\(\d+ rows\)/)
  assert.match(await answer('errors'), / 1 "message":"audit event not written"/)
  assert.match(await answer('audit'), /"level":50,[^]*"audit event not written"/)
  assert.match(
    await answer('orders'),
    /strongroom_orders_due 0[^]*strongroom_order_oldest_age_seconds 0[^]*could not be run/,
  )
  const payments = await answer('payments')
  assert.match(payments, /^\{"items":\[\{[^]*"amount":"1\.50"[^]*"status":"pending"/)
  assert.match(payments, /\{"items":\[\],"nextCursor":null\}$/)
  assert.match(await answer('suspense'), /suspense_balance\{currency="USD"\} 7\n[^]*\{"items":\[/)
  assert.match(await answer('overdrawn'), /^\{"items":\[\]/)
  assert.match(await answer('disputes'), /^\{"items":\[\]/)
  assert.match(await answer('approvals'), /^\{"items":\[\]/)
  assert.match(await answer('drafts'), /rows could not be purged/)
  assert.match(await answer('close'), /The day .* is closed[^]*exit code 0\n$/)
  assert.match(await answer('zero'), /USD/)
  assert.match(await answer('texts'), /^strongroom_entries_without_texts 0\n$/)
  assert.match(await answer('backup'), /exit code 0\n$/)
  assert.match(await answer('archive'), /last_archived_time[^]*\(1 row\)/)
  await shell(`psql bank -c "select pg_create_physical_replication_slot('gone', true)"`)
  assert.match(await answer('slots'), /slot_name[^]*gone [^]*\(1 row\)/)
  assert.match(await shell(step('slots')), /"gone" does not exist/)
  assert.match(await answer('freeze'), /pid[^]*gid[^]*slot_name[^]*rows?\)\n\[\]\n$/)
  assert.match(await answer('mails'), /strongroom_mails_waiting [1-9][^]*mail not sent; will try/)
  assert.match(await answer('webhooks'), /strongroom_webhooks_disabled 0[^]*"status":"active"/)
  assert.match(await answer('certificate'), /^notAfter=/)
  assert.match(await answer('ibans'), /^0\n$/)

  assert.match(await answer('admin'), /\S{12,}/)
  assert.match(await answer('stolen'), /All sessions are ended/)
  const again = await shell(login, known, 'curl -s $bank/me -H "authorization: Bearer $ada"')
  assert.match(again, /"code":"(session_revoked|unauthenticated)"/)
  const named = [...runbook.matchAll(/<!-- run: (\w+) -->/g)].map(([, name]) => name)
  assert.deepEqual(new Set(['login', ...Object.keys(answers)]), new Set(named))
  bank.child.kill('SIGTERM')
  assert.equal(await bank.ended, 0)
})
