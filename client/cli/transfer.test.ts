// `strongroom client transfer` at a bank that takes no payment without a check of the payee.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { deposit, openAccount, readBalance } from '../../test/support/fixture.ts'
import { password, world } from '../../test/support/world.ts'

const bin = fileURLToPath(new URL('../../bin/strongroom.js', import.meta.url))

/** Runs `strongroom client …` with that on its standard input. */
function use(args: readonly string[], input = '') {
  const child = spawn(process.execPath, [bin, 'client', ...args], { stdio: 'pipe' })
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()))
  child.stdin.end(input)
  return new Promise<typeof said & { code: number | null }>((resolve) =>
    child.on('close', (code) => resolve({ ...said, code })),
  )
}

test('a payee is checked where the bank requires it; another name is paid with --accept-payee alone, and a repeat names the same check', async (t) => {
  const bank = await world(t, { settings: { PAYEE_CHECK: 'required' } })
  const [ada, ben, root] = [await bank.as('ada'), await bank.as('ben'), await bank.as('root')]
  const [from, to] = [await openAccount(ada), await openAccount(ben)]
  await deposit(root, from, '10.00')
  const { iban } = (await ben.get(`/api/v1/accounts/${to}`)).body
  const { givenName, familyName } = (await ben.get('/api/v1/me')).body
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-cli-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const url = `https://localhost:${bank.running.httpsPort}`
  const ca = bank.running.certificate.caPath as string
  const login = ['login', '--url', url, '--ca', ca, '--username', 'ada', '--folder', folder]
  assert.equal((await use(login, `${password}\n`)).code, 0)

  const addPayee = async (name: string): Promise<string> => {
    const body = { name, iban }
    const checks = `/api/v1/accounts/${from}/payee-checks`
    const { id: payeeCheckId } = (await ada.post(checks, body)).body
    const added = await ada.post(`/api/v1/accounts/${from}/beneficiaries`, {
      ...body,
      payeeCheckId,
      acceptPayee: true,
    })
    assert.equal(added.status, 201, added.text)
    return added.body.id as string
  }
  const pay = (beneficiary: string, amount: string, ...more: string[]) => {
    const sides = ['--from', from, '--beneficiary', beneficiary]
    return use(['transfer', ...sides, '--amount', amount, '--folder', folder, ...more])
  }
  const right = await addPayee(`${givenName} ${familyName}`)
  const first = await pay(right, '1.00', '--key', 'first')
  assert.equal(first.code, 0, first.err)
  assert.match(first.out, /^1\.00 EUR completed/)
  const [, check] =
    /^The name of the payee matches\.\n.* --payee-check (\S+)\n$/.exec(first.err) ?? []
  const again = await pay(right, '1.00', '--key', 'first', '--payee-check', check as string)
  assert.deepEqual([again.code, again.err, again.out], [0, '', first.out])

  assert.equal((await ada.delete(`/api/v1/beneficiaries/${right}`)).status, 204)
  const wrong = await addPayee('Mallory Nobody')
  const refused = await pay(wrong, '2.00')
  assert.deepEqual([refused.code, refused.out], [1, ''])
  assert.match(refused.err, /^The name of the payee does not match\.\n/)
  const accepted = await pay(wrong, '2.00', '--accept-payee', '--json')
  assert.equal(accepted.code, 0, accepted.err)
  const { payeeCheck } = JSON.parse(accepted.out) as { payeeCheck: object }
  assert.deepEqual(payeeCheck, { result: 'no_match', accepted: true })
  assert.equal(await readBalance(ben, to), '3.00')
})
