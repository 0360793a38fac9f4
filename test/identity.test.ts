// The bank's own name, code, logo and colours, wherever a person or a program meets the bank.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { portalFolder } from '../src/http/portal.ts'
import { deposit, openAccount, transferBody } from './support/fixture.ts'
import { beginEnrolment } from './support/factors.ts'
import { readMails } from './support/mailbox.ts'
import { assertValidCamt, readPdf } from './support/statement-files.ts'
import { commonWorld, password, world } from './support/world.ts'

const bankName = "Bank of Õismäe, Smith & Sons'"
const bic = 'MARKDEFFXXX'
const settings = {
  BANK_NAME: bankName,
  BIC: bic,
  BANK_PHONE: '+49 (0)30 1234-567',
  BANK_ADDRESS: "1 King's Road & Sons, 10115 Berlin",
}
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="3"/></svg>'

async function logoFile(t: TestContext, content: string | Buffer, name = 'logo.svg') {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-logo-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(path.join(folder, name), content)
  return path.join(folder, name)
}

test("every page, mail, file and answer has the bank's name, none the product's", async (t) => {
  const bank = await world(t, { settings })
  const ada = await bank.login('ada')
  const [account, savings] = [await openAccount(ada), await openAccount(ada)]
  const at = `/api/v1/accounts/${account}`
  const inMarkup = bankName.replace('&', '&amp;')

  const page = (await bank.send('GET', '/portal/')).text
  assert.match(page, new RegExp(`<title>${inMarkup}</title>`))
  assert.ok(page.includes(`data-bank-name="${inMarkup}"`) && page.includes(`data-bic="${bic}"`))
  assert.ok(page.includes(`data-bank-phone="${settings.BANK_PHONE}"`))
  assert.ok(page.includes(`data-bank-address="${settings.BANK_ADDRESS.replace('&', '&amp;')}"`))
  const reference = (await bank.send('GET', '/docs')).text
  assert.match(reference, new RegExp(`<title>${inMarkup}: API reference</title>`))
  const document = await bank.send('GET', '/openapi.json')
  assert.equal(document.body.info.title, bankName)

  const { body: details } = await ada.get(`${at}/details`)
  assert.deepEqual(details.bank, { name: bankName, bic })

  const camt = (await ada.get(`${at}/statement?format=camt053`)).bytes
  await assertValidCamt([camt])
  assert.match(
    camt.toString(),
    /<Svcr><FinInstnId><BICFI>MARKDEFFXXX<\/BICFI><Nm>Bank of Õismäe, Smith &amp; Sons&apos;<\/Nm>/,
  )
  const pdf = await readPdf((await ada.get(`${at}/statement?format=pdf`)).bytes)
  assert.ok(pdf.texts.every((text) => text.includes(bankName)))
  assert.match(pdf.texts[0] ?? '', /BIC\s+MARKDEFFXXX/)
  assert.equal(pdf.info['Author'], bankName)
  await deposit(await bank.as('root'), account, '10.00')
  const paid = (await ada.post('/api/v1/transfers', transferBody(account, savings))).body
  // Two files a second.
  bank.clock.advance(1000)
  const file = await ada.get(`/api/v1/transfers/${paid.id}/receipt?format=pdf`)
  const receipt = await readPdf(file.bytes)
  assert.ok(receipt.texts[0]?.includes(bankName), receipt.texts[0])

  const { uri } = (await beginEnrolment(ada)).body.totp
  assert.equal(new URL(uri).searchParams.get('issuer'), bankName)
  const passkey = { kind: 'passkey', name: 'Key', password }
  const options = (await (await bank.login('ben')).post('/api/v1/auth/factors', passkey)).body
  assert.equal(options.passkey.rp.name, bankName)

  await bank.send('POST', '/api/v1/auth/password-reset', { body: { email: 'ada@example.com' } })
  const [mail] = await readMails(bank)
  assert.equal(mail?.from?.name, bankName)
  assert.ok(mail.text?.trimEnd().endsWith(`\n\n${bankName}`))
  const texts = [
    page,
    reference,
    document.body.info.title,
    camt.toString(),
    mail.text,
    mail.subject,
  ]
  for (const text of [...texts, ...pdf.texts, ...receipt.texts])
    assert.doesNotMatch(text ?? '', /strongroom/i)
})

test('a page that is asked for too often has the name of the bank, not that of the product', async (t) => {
  const limits = JSON.stringify({ docs: { burst: '1/1m' } })
  const bank = await world(t, { settings: { BANK_NAME: bankName, LIMITS: limits } })
  await bank.send('GET', '/portal/')
  const { status, text } = await bank.send('GET', '/portal/')
  assert.equal(status, 429)
  assert.match(text, /<title>Bank of Õismäe, Smith &amp; Sons'<\/title>/)
})

test('without a BIC, details have none, and a statement names the bank alone', async () => {
  const ada = await (await commonWorld()).login('ada')
  const id = await openAccount(ada)
  const { body } = await ada.get(`/api/v1/accounts/${id}/details`)
  assert.deepEqual(body.bank, { name: 'Strongroom', bic: null })
  const camt = (await ada.get(`/api/v1/accounts/${id}/statement?format=camt053`)).bytes
  await assertValidCamt([camt])
  assert.doesNotMatch(camt.toString(), /BICFI/)
})

test('logo and colours are files of this origin, under the policy of the pages', async (t) => {
  const settings = { LOGO: await logoFile(t, svg), ACCENT: '#7a1f1f,#ffb4ab' }
  const bank = await world(t, { settings, portal: portalFolder })
  const { text } = await bank.send('GET', '/portal/')
  const [, logo = ''] = /data-logo="([^"]+)"/.exec(text) ?? []
  assert.match(text, new RegExp(`<link rel="icon" href="${logo}" />`))
  const [, colors = ''] = /<link rel="stylesheet" href="([^"]+\/accent-[^"]+)"/.exec(text) ?? []
  const policy = (await bank.send('GET', '/portal/')).headers['content-security-policy']
  const shown = await bank.send('GET', logo)
  assert.deepEqual([shown.status, shown.text], [200, svg])
  assert.equal(shown.headers['content-type'], 'image/svg+xml; charset=utf-8')
  const styles = await bank.send('GET', colors)
  assert.equal(styles.headers['content-type'], 'text/css; charset=utf-8')
  assert.match(styles.text, /--accent:light-dark\(#7a1f1f,#ffb4ab\)/)
  for (const { headers } of [shown, styles]) {
    assert.equal(headers['content-security-policy'], policy)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  }
})
