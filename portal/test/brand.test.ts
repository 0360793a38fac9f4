// A bank with a name, a logo and colours of its own, as a person sees it.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { openAccount } from '../../test/support/fixture.ts'
import { assertAccessibleEverywhere, untilTrue, visit } from './support.ts'

const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 12"><rect width="24" height="12" ' +
  'fill="#7a1f1f"/></svg>'

test('the pages show the name, the logo and the colours of the bank, in each theme and to everyone', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-brand-'))
  t.after(() => rm(folder, { recursive: true }))
  const logo = path.join(folder, 'logo.svg')
  await writeFile(logo, svg)
  const name = { BANK_NAME: "Smith & Sons' Bank", BIC: 'MARKDEFF' }
  const settings = { ...name, LOGO: logo, ACCENT: '#7a1f1f,#ffb4ab' }
  const visiting = await visit(t, { settings })
  if (!visiting) return
  const { bank, page, origin, complaints, signIn } = visiting
  await page.goto(`${origin}/portal/`)
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
  assert.equal(await page.title(), "Sign in – Smith & Sons' Bank")
  await page.getByRole('link', { name: "Smith & Sons' Bank" }).waitFor()
  const width = `document.querySelector('.brand img').naturalWidth`
  await untilTrue(page, `${width} > 0`)
  await assertAccessibleEverywhere(page, 'sign-in of a bank with its own colours')

  const readGround = (theme: string) =>
    page.evaluate<string>(
      `document.documentElement.dataset.theme = '${theme}',
       getComputedStyle(document.querySelector('.button.primary')).backgroundColor`,
    )
  const session = await page.context().newCDPSession(page)
  const found = await session.send('Page.getAppManifest')
  const { icons, ...manifest } = JSON.parse(found.data ?? '{}')
  assert.deepEqual([found.errors, manifest.name], [[], "Smith & Sons' Bank"])
  assert.equal(icons.length, 1)
  assert.match(icons[0].src, /^\/portal\/assets\/logo-\w+\.svg$/)
  assert.equal(await readGround('light'), 'rgb(122, 31, 31)')
  assert.equal(await readGround('dark'), 'rgb(255, 180, 171)')
  // High contrast stays as it is.
  assert.equal(await readGround('contrast'), 'rgb(255, 255, 0)')

  const account = await openAccount(await bank.login('ada'))
  await signIn('ada')
  await page.goto(`${origin}/portal/accounts/${account}`)
  await page.getByText('Details', { exact: true }).click()
  await page.getByText('MARKDEFF').waitFor()
  assert.doesNotMatch(await page.evaluate<string>('document.body.innerText'), /strongroom/i)
  assert.deepEqual(complaints, [])
})

test('the pages can be put on the home screen: name, start and icons of the right size', async (t) => {
  const visiting = await visit(t)
  if (!visiting) return
  const { page, origin, complaints } = visiting
  await page.goto(`${origin}/portal/security`)
  await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
  const session = await page.context().newCDPSession(page)
  const found = await session.send('Page.getAppManifest')
  assert.deepEqual(found.errors, [])
  const { icons, ...manifest } = JSON.parse(found.data ?? '{}')
  assert.deepEqual(manifest, {
    id: '/portal/',
    name: 'Strongroom',
    short_name: 'Strongroom',
    start_url: '/portal/',
    scope: '/portal/',
    display: 'standalone',
    background_color: '#f5f7f6',
    theme_color: '#f5f7f6',
  })
  for (const { src, sizes } of [...icons, { src: '', sizes: '192x192' }]) {
    const link = `document.querySelector('link[rel=apple-touch-icon]').getAttribute('href')`
    const address = src || (await page.evaluate<string>(link))
    const shown = await page.evaluate<string>(
      `(async () => {
        const image = new Image()
        image.src = '${address}'
        await image.decode()
        return image.naturalWidth + 'x' + image.naturalHeight
      })()`,
    )
    assert.equal(shown, sizes, address)
  }
  assert.deepEqual(complaints, [])
})
