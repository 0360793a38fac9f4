// Makes the stored files of the release in package.json, on the commit that it is made of:
// `node test/cluster/releases/make.ts`. They are never made again.
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { startEmbedded } from '../../../src/database/embedded/embedded.ts'
import { release } from '../../../src/domain/release.ts'
import { query } from '../../faults/base.ts'
import { client } from '../../support/client.ts'
import { freePort, run } from '../../support/program.ts'
import { fillBank, type KnownBank } from './bank.ts'
import { root, type Rows, store } from './files.ts'

const execute = promisify(execFile)
const unlimited = { encoding: 'buffer', maxBuffer: 1 << 30 } as const
const publicUrl = 'https://bank.example'
const admin = { username: 'admin', password: 'a rope for every anchor' }

/** Runs the service on an empty data folder, and gives what its users know when it has ended. */
async function makeBank(dataDir: string): Promise<Omit<KnownBank, 'heads'>> {
  const port = await freePort()
  const service = run([], {
    DATA_DIR: dataDir,
    HTTPS_PORT: String(port),
    HTTP_PORT: '0',
    METRICS_PORT: '0',
    PUBLIC_URL: publicUrl,
    ADMIN_USERNAME: admin.username,
    ADMIN_PASSWORD: admin.password,
    TOKEN_TTL: '1h',
    PORTAL: 'off',
  })
  await service.says(/Strongroom is ready/)
  const { send, close } = client(port, await readFile(path.join(dataDir, 'tls/ca.pem')))
  try {
    const made = await fillBank(send, admin)
    return { madeAt: Date.now(), publicUrl, ...made }
  } finally {
    close()
    service.child.kill('SIGTERM')
    await service.ended
  }
}

const readTables = `
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'strongroom'::regnamespace and c.relkind in ('r', 'p')
    and not c.relispartition
    and c.relname <> 'migrations' and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  group by c.relname order by c.relname`

/** Reads all rows, and leaves a write-ahead log that is nearly empty: half of the file else. */
async function emptyLog(dataDir: string): Promise<Rows> {
  const embedded = await startEmbedded(dataDir, { wal_recycle: 'off' })
  try {
    const { address } = embedded
    const rows: Rows = {}
    for (const { name, columns } of await query(address, readTables)) {
      const part = `select ${(columns as string[]).join(', ')} from ${String(name)}`
      const found = await query(address, `select to_jsonb(r) as row from (${part}) r`)
      rows[String(name)] = found.map(({ row }) => row as Record<string, unknown>)
    }
    await query(address, 'select pg_switch_wal()')
    await query(address, 'checkpoint')
    return rows
  } finally {
    await embedded.stop()
  }
}

const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-release-'))
try {
  await chmod(folder, 0o755)
  const dataDir = path.join(folder, 'data')
  const bank = await makeBank(dataDir)
  const heads = path.join(folder, 'heads')
  const verify = run(['verify', '--heads', heads], { DATA_DIR: dataDir })
  if ((await verify.ended) !== 0) throw new Error(verify.err())
  await store(release, 'rows', JSON.stringify(await emptyLog(dataDir)))
  await store(release, 'bank', JSON.stringify({ ...bank, heads: await readFile(heads, 'utf8') }))
  const tar = ['-c', '--sort=name', '--owner=0', '--group=0', '--numeric-owner', '-C', dataDir]
  const packed = await execute('tar', [...tar, 'postgres', 'postgres.json', 'socket'], unlimited)
  await store(release, 'folder', packed.stdout)
  const parts = [
    'bin',
    'src',
    'demo',
    'languages',
    'migrations',
    'package.json',
    'client/package.json',
  ]
  const source = ['client/cli', 'client/src', ...parts, ':(exclude)*.test.ts']
  const archived = await execute('git', ['-C', root, 'archive', 'HEAD', ...source], unlimited)
  await store(release, 'source', archived.stdout)
  await store(release, 'interface', await readFile(path.join(root, 'docs/openapi.json')))
} finally {
  await rm(folder, { recursive: true, force: true })
}
