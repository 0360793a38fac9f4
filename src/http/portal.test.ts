// The pages of the portal as they are served, before any script runs.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import fastify from 'fastify'
import { commonWorld, world, type World } from '../../test/support/world.ts'
import { readConfig } from '../config/config.ts'
import { languages } from '../domain/languages.ts'
import { StartupError } from '../domain/startup-error.ts'
import { portalPages } from './portal.ts'

/** The paths of the files that the first page names. */
async function readFiles({ send }: Pick<World, 'send'>): Promise<string[]> {
  const { text } = await send('GET', '/portal/')
  return [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file as string)
}

test('the pages that are listed answer 200, all others 404, with the same document', async () => {
  const bank = await commonWorld()
  const index = await bank.send('GET', '/portal/')
  assert.equal(index.status, 200)
  assert.match(index.text, /data-session-idle-seconds="300"\s+data-session-max-seconds="43200"/)
  for (const [target, status] of [
    ['/portal/?x=1', 200],
    ['/portal/accounts', 200],
    ['/portal/accounts/1?tab=cards', 200],
    ['/portal/reset', 200],
    ['/portal/nowhere', 404],
    ['/portal/accounts/', 404],
    ['/portal/accounts/1/x', 404],
    ['/portal//accounts', 404],
    ['/portal/assets/', 404],
    ['/portal/assets/other.js', 404],
    ['/portal/assets/..%2findex.html', 404],
    ['/portal/assets/../pages.json', 404],
    ['/portal/%2e%2e/package.json', 404],
    ['/portal/pages.json', 404],
    ['/portal/index.html', 404],
  ] as const) {
    const page = await bank.send('GET', target)
    assert.deepEqual([page.status, page.text], [status, index.text], target)
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8', target)
    const head = await bank.send('HEAD', target)
    assert.deepEqual([head.status, head.text], [status, ''], target)
    assert.equal(head.headers['content-length'], page.headers['content-length'], target)
  }
})

test('the page is told which roles have second factors and from when, and whether operations are under four eyes', async (t) => {
  const factors = 'customer=optional,support-agent=off,admin=required'
  const settings = { FOUR_EYES: 'createDeposit', SECOND_FACTOR: factors }
  const { text } = await (await world(t, { settings })).send('GET', '/portal/')
  assert.match(
    text,
    /data-second-factor="customer admin"\s+data-second-factor-grace-seconds="1209600"/,
  )
  assert.match(text, /data-four-eyes="on"/)
  const usual = await (await commonWorld()).send('GET', '/portal/')
  assert.match(
    usual.text,
    /data-second-factor="customer support-agent admin"[^>]*data-four-eyes="off"/,
  )
})

test('what scripts ask below /portal gets the one form of an error, never a page', async () => {
  const bank = await commonWorld()
  for (const target of ['/portal/api', '/portal/api/', '/portal/api/v2/me', '/portal/api//v1']) {
    const { status, body } = await bank.send('GET', target)
    assert.deepEqual([status, body?.code], [404, 'not_found'], target)
  }
  const session = await bank.send('GET', '/portal/session')
  assert.deepEqual([session.status, session.headers['allow']], [405, 'POST'])
  const posted = await bank.send('POST', '/portal/accounts', { body: {} })
  assert.deepEqual([posted.status, posted.headers['allow']], [405, 'GET, HEAD'])
})

test('/ and /portal lead to the first page', async () => {
  const bank = await commonWorld()
  for (const target of ['/', '/portal', '/?x=1']) {
    const { status, headers } = await bank.send('GET', target)
    assert.deepEqual([status, headers['location']], [303, '/portal/'], target)
    assert.equal(headers['cache-control'], 'no-store')
  }
})

test('password managers are led to the page that changes the password, if there is one', async (t) => {
  const path = '/.well-known/change-password'
  const { status, headers } = await (await commonWorld()).send('GET', path)
  assert.deepEqual([status, headers['location']], [303, '/portal/security'])
  const bare = await world(t, { settings: { PORTAL: 'off' } })
  assert.equal((await bare.send('GET', path)).status, 404)
})

test('pages and their files have the policy that admits this origin alone, and their caching', async () => {
  const bank = await commonWorld()
  const files = await readFiles(bank)
  assert.equal(files.length, 3)
  const icon = '/portal/assets/3f2a9c1d7b5e8046/icon.svg'
  for (const target of ['/portal/', '/portal/nowhere', ...files, icon]) {
    const { status, headers } = await bank.send('GET', target)
    const isFile = target.startsWith('/portal/assets/')
    assert.equal(status, target === '/portal/nowhere' ? 404 : 200, target)
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
        "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; " +
        "trusted-types 'none'",
    )
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    assert.match(headers['permissions-policy'] ?? '', /camera=\(\), .*payment=\(\)/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.match(headers['strict-transport-security'] ?? '', /^max-age=31536000/)
    const caching = isFile ? 'public, max-age=31536000, immutable' : 'no-store'
    assert.equal(headers['cache-control'], caching, target)
    assert.equal(headers['set-cookie'], undefined)
    const gzip = { 'accept-encoding': 'gzip' }
    const compressed = await bank.send('GET', target, { headers: gzip })
    assert.equal(compressed.headers['content-encoding'], 'gzip', target)
    assert.match(compressed.headers['vary'] ?? '', /\bAccept-Encoding\b/)
  }
  const types = await Promise.all(
    [...files, icon].map(async (file) => (await bank.send('GET', file)).headers['content-type']),
  )
  assert.deepEqual(types, [
    'text/javascript; charset=utf-8',
    'text/css; charset=utf-8',
    'application/manifest+json',
    'image/svg+xml; charset=utf-8',
  ])
})

test('a page counts against the limit class docs, its files against files, nothing against address', async (t) => {
  const limits = { address: { burst: '2/1m' }, docs: { burst: '3/1m' }, files: { burst: '4/1m' } }
  const bank = await world(t, { settings: { LIMITS: JSON.stringify(limits) } })
  const files = await readFiles(bank)
  for (const target of [...files, '/portal/nowhere', '/']) {
    assert.ok((await bank.send('GET', target)).status < 429, target)
  }
  assert.equal((await bank.send('GET', '/portal/')).status, 429)
  // A page that is told to wait has no part in the wait of its scripts, nor they in its own.
  const [script = ''] = files
  assert.equal((await bank.send('GET', script)).status, 200)
  assert.equal((await bank.send('GET', script)).status, 429)
  assert.equal((await bank.send('GET', '/healthz')).status, 200)
})

test('beyond its limit a page is a small document for people; a script or a file gets the one form', async (t) => {
  const limits = { docs: { burst: '3/1m' }, files: { burst: '3/1m' } }
  const bank = await world(t, { settings: { LIMITS: JSON.stringify(limits) } })
  const files = await readFiles(bank)
  for (const file of files) assert.equal((await bank.send('GET', file)).status, 200)
  const { headers: usual } = await bank.send('GET', '/portal/')
  await bank.send('GET', '/portal/')
  for (const target of ['/portal/', '/portal/cards', '/portal/nowhere', '/portal/a/b', '/']) {
    const { status, headers, text } = await bank.send('GET', target)
    assert.equal(status, 429, target)
    assert.match(text, /^<!doctype html>.*Please load this page again after \d+ s\./s, target)
    for (const code of Object.keys(languages))
      assert.ok(text.includes(`<div lang="${code}">`), code)
    assert.doesNotMatch(text, /<script|<link|<style| src=/)
    const seconds = headers['retry-after'] ?? ''
    assert.match(seconds, /^[1-9]\d*$/)
    assert.ok(text.includes(`after ${seconds} s.`))
    const own = /^(retry-after|x-request-id|ratelimit|content-length|date|vary)/
    const policy = ({ headers: fields }: { headers: Record<string, unknown> }) =>
      Object.fromEntries(Object.entries(fields).filter(([name]) => !own.test(name)))
    assert.deepEqual(policy({ headers }), policy({ headers: usual }), target)
    const head = await bank.send('HEAD', target)
    assert.deepEqual([head.status, head.text], [429, ''], target)
  }
  for (const target of ['/portal/api/v2', '/portal/api', '/docs', ...files]) {
    const { status, body } = await bank.send('GET', target)
    assert.deepEqual([status, body?.code], [429, 'rate_limited'], target)
  }
})

test('a start without the built files stops with the command that makes them', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-portal-'))
  t.after(() => rm(folder, { recursive: true }))
  const pages = portalPages(pathToFileURL(`${folder}/`), readConfig({}))
  await assert.rejects(pages(fastify()), (thrown: Error) => {
    assert.ok(thrown instanceof StartupError)
    assert.match(thrown.message, /npm run portal/)
    return true
  })
})
