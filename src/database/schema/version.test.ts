import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { freePort, run } from '../../../test/support/program.ts'
import { knownMigrations } from './migrations.ts'

const message = (type: string, ...parts: (string | Buffer)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}
const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255])
const int32 = (value: number): Buffer => Buffer.concat([int16(value >> 16), int16(value & 65535)])
const column = (name: string): Buffer =>
  Buffer.concat([
    Buffer.from(`${name}\0`),
    int32(0),
    int16(0),
    int32(25),
    int16(65535),
    int32(-1),
    int16(0),
  ])
const value = (text: string): Buffer => Buffer.concat([int32(text.length), Buffer.from(text)])

/** A server that accepts any login and answers each statement with that version, or hangs up. */
async function server(t: TestContext, version?: [number: string, name: string]) {
  const asked: string[] = []
  const listener = createServer((socket) => {
    let hasBegun = false
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      const ready = message('Z', 'I')
      if (!hasBegun) {
        hasBegun = true
        socket.write(Buffer.concat([message('R', int32(0)), ready]))
      } else if (bytes.toString('latin1', 0, 1) === 'Q') {
        asked.push(bytes.toString('utf8', 5, bytes.length - 1))
        if (version === undefined) return void socket.destroy()
        const [number, name] = version
        const columns = message('T', int16(2), column('number'), column('name'))
        const row = message('D', int16(2), value(number), value(name))
        socket.write(Buffer.concat([columns, row, message('C', 'SELECT 1\0'), ready]))
      }
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  t.after(() => listener.close())
  const { port } = listener.address() as AddressInfo
  return { asked, url: `postgres://bank:x@127.0.0.1:${port}/bank?sslmode=disable` }
}

const old: [number: string, name: string][] = [
  ['150013', '15.13 (Debian 15.13-0+deb12u1)'],
  ['90624', '9.6.24'],
]
for (const [number, name] of old) {
  test(`a server that is too old, ${name}, is refused by its version before anything is changed`, async (t) => {
    const { asked, url } = await server(t, [number, name])
    const commands = [['serve'], ['migrate'], ['verify'], ['rotate-keys']]
    for (const args of commands) {
      const ports = { HTTPS_PORT: String(await freePort()), HTTP_PORT: '0', METRICS_PORT: '0' }
      const program = run(args, { DATABASE_URL: url, ...ports })
      assert.equal(await program.ended, 2)
      const message = `The database is PostgreSQL ${name}: Strongroom needs PostgreSQL 16 or newer.\n`
      assert.equal(program.err(), message)
    }
    for (const text of asked) assert.match(text, /^select current_setting/)
    assert.equal(asked.length, commands.length)
  })
}

test('a server that ends the connection before it has told its version is told in one line', async (t) => {
  const { asked, url } = await server(t)
  // A start of the service would ask again for 30 s.
  const program = run(['migrate'], { DATABASE_URL: url })
  assert.equal(await program.ended, 1)
  assert.match(program.err(), /^[^\n]+\n$/)
  for (const text of asked) assert.match(text, /^select current_setting/)
  assert.equal(new Set(asked).size, 1, 'its version, and nothing else')
})

test('the migrations of a version are those of its first look, whatever replaces their files later', async () => {
  assert.equal(await knownMigrations(), await knownMigrations())
})
