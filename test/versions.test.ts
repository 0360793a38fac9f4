// One number for the service and its client, and what is promised with it.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { storedReleases } from './cluster/releases/files.ts'
import { oldestRelease, release } from '../src/domain/release.ts'

const read = (file: string) => readFile(new URL(`../${file}`, import.meta.url), 'utf8')

test('the service, its client, the lock and the newest entry of the changelog have one version', async () => {
  const versions = await Promise.all(
    ['package.json', 'client/package.json', 'package-lock.json', 'docs/openapi.json'].map(
      async (file) => {
        const { version, info } = JSON.parse(await read(file)) as {
          version?: string
          info?: { version: string }
        }
        return version ?? info?.version
      },
    ),
  )
  assert.deepEqual(new Set(versions), new Set([release]))
  const [first, before] = [...(await read('CHANGELOG.md')).matchAll(/^## (\S+)$/gm)]
  assert.equal(first?.[1], release)
  // Otherwise the instances that are still to be replaced could not be restarted.
  assert.equal(oldestRelease, before?.[1] ?? release)
})

test('each entry of the changelog says what was added, changed, fixed, what is about security, and what to do', async () => {
  const entries = (await read('CHANGELOG.md')).split(/^## /m).slice(1)
  for (const entry of entries) {
    assert.deepEqual(
      [...entry.matchAll(/^### (.+)$/gm)].map(([, title]) => title),
      ['Added', 'Changed', 'Fixed', 'Security', 'What to do'],
    )
  }
})

test('the page of versions has a row of support for this release', async () => {
  const minor = release.split('.').slice(0, 2).join('.')
  assert.ok((await read('docs/VERSIONS.md')).includes(`\n| ${minor} | `))
})

test('the files of each earlier release are stored, which test/cluster/upgrade.test.ts upgrades', async () => {
  const [, ...earlier] = [...(await read('CHANGELOG.md')).matchAll(/^## (\S+)$/gm)]
  assert.deepEqual(await storedReleases(), earlier.map(([, version]) => version).toReversed())
})
