// A logo is an image of shapes or a PNG; anything that could do more stops the start.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import { StartupError } from '../domain/startup-error.ts'
import { readLogo } from './logo.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'strongroom-logo-'))
after(() => rm(folder, { recursive: true }))

async function read(content: string | Buffer, name = 'logo.svg') {
  const file = path.join(folder, name)
  await writeFile(file, content)
  return readLogo(file)
}

const root = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">'
const svg = (content: string) => `${root}${content}</svg>`

const plain = [
  svg('<path d="M0 0h8v8z" fill="#123456"/>'),
  `<?xml version="1.0"?>\n<!-- drawn by hand -->\n${svg('<title>Our bank</title>')}\n`,
  svg(
    '<defs><linearGradient id="a"><stop stop-color="rgb(1, 2, 3)"/></linearGradient></defs>' +
      `<g transform="translate(1 2) rotate(45)"><circle r='2' fill="url(#a)"/></g>`,
  ),
  '<svg xmlns="http://www.w3.org/2000/svg"/>',
  `\ufeff<?xml version='1.0' encoding='utf-8' standalone="no" ?>\r\n${svg('\t<g>\r\n</g>')}<!-- & -->`,
  svg('<!-- "a" & <b> --><title>Our <!-- good & old --> bank</title><!----><g />'),
]

test('an SVG of shapes, groups and gradients is shown byte for byte', async () => {
  for (const text of plain) {
    assert.deepEqual(await read(text), { content: Buffer.from(text), extension: 'svg' }, text)
  }
})

const harmful = [
  svg('<script>alert(1)</script>'),
  svg('<script/>'),
  svg('<a href="https://evil.example"><path d="M0 0"/></a>'),
  svg('<image href="https://evil.example/a.png"/>'),
  svg('<use href="#a"/>'),
  svg('<foreignObject><p>x</p></foreignObject>'),
  svg('<animate attributeName="fill" to="red"/>'),
  svg('<set attributeName="onload" to="alert(1)"/>'),
  svg('<style>*{background:url(//evil.example)}</style>'),
  svg('<path d="M0 0" onclick="alert(1)"/>'),
  svg('<path d="M0 0" style="fill:red"/>'),
  svg('<path d="M0 0" class="a"/>'),
  svg('<path d="M0 0" xlink:href="javascript:alert(1)"/>'),
  svg('<path fill="url(https://evil.example/a)"/>'),
  svg('<path fill="url(#a) url(//evil.example)"/>'),
  svg('<path fill="image(evil)"/>'),
  svg('<path fill="&#x75;rl(evil)"/>'),
  svg('<title>&lt;script></title>'),
  svg('text'),
  svg('<SCRIPT>alert(1)</SCRIPT>'),
  svg('<svg:script>alert(1)</svg:script>'),
  svg('<!-- a --!><script>alert(1)</script>-->'),
  svg('<![CDATA[<script>]]>'),
  svg('<path d="<!--" onload="alert(1)" id="-->"/>'),
  svg('<path <!-- --> d="M0 0"/>'),
  svg('<path d="M0 0" d="M0 0"/>'),
  svg('<path\u3000d="M0 0"/>'),
  svg('<path\u00a0d="M0 0"/>'),
  svg('<path d="M0 0"\f/>'),
  svg('<g>\u3000</g>'),
  svg('<g>\0</g>'),
  svg('<title>a\0b</title>'),
  svg('<!-- \u001b -->'),
  ...['ISO-2022-JP', 'UTF-7', 'UTF-16', 'windows-1252'].map(
    (name) => `<?xml version="1.0" encoding="${name}"?>${svg('')}`,
  ),
  `<?xml version="1.1"?>${svg('')}`,
  ` <?xml version="1.0"?>${svg('')}`,
  svg('<?xml-stylesheet href="https://evil.example"?>'),
  `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('')}`,
  `<?xml-stylesheet href="a.css"?>${svg('')}`,
  `${svg('')}<script>alert(1)</script>`,
  `${svg('')}${svg('')}`,
  `${root}<g></svg>`,
  svg('<g></g id="a">'),
  svg('<g></g/>'),
  '<g xmlns="http://www.w3.org/2000/svg"></g>',
  root,
  '<svg viewBox="0 0 8 8"><path d="M0 0"/></svg>',
  '<svg xmlns="http://www.w3.org/1999/xhtml"><path d="M0 0"/></svg>',
  '<html></html>',
  '',
  Buffer.concat([Buffer.from(svg('<title>')), Buffer.from([0xff, 0xfe])]),
  Buffer.from(svg(''), 'utf16le'),
  svg(`<path d="${'1'.repeat(64 * 1024)}"/>`),
]

const isRefused = (thrown: unknown) =>
  thrown instanceof StartupError && /^The file of STRONGROOM_LOGO [^\n]+\.$/.test(thrown.message)

test('an SVG with a script, a link, a style or anything else that is not on the list is refused in one line', async () => {
  for (const content of harmful) {
    await assert.rejects(read(content), isRefused, String(content).slice(0, 200))
  }
})

const chunk = (name: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(name), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
const start = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const head = (width: number, height: number) => {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data[8] = 8
  return chunk('IHDR', data)
}
const pixels = chunk('IDAT', deflateSync(Buffer.alloc(2)))
const end = chunk('IEND', Buffer.alloc(0))
const png = Buffer.concat([start, head(1, 1), pixels, end])

test('a whole PNG of usual sides is taken; a part, a giant and what follows its end are not', async () => {
  assert.deepEqual(await read(png, 'logo.png'), { content: png, extension: 'png' })
  const large = Buffer.concat([start, head(2048, 2048), pixels, end])
  assert.deepEqual((await read(large, 'logo.png')).content, large)
  const damaged = Buffer.from(png)
  damaged[40] = (damaged[40] as number) ^ 1
  for (const content of [
    damaged,
    png.subarray(0, -1),
    png.subarray(0, 33),
    Buffer.concat([png, Buffer.from('<script>')]),
    Buffer.concat([png, pixels]),
    Buffer.concat([start, head(1, 1), pixels, Buffer.from('ab')]),
    Buffer.concat([start, head(1, 1), pixels]).subarray(0, 33 + 15),
    Buffer.concat([Buffer.from('\x89PNX\r\n\x1a\n', 'latin1'), png.subarray(8)]),
    Buffer.concat([
      start,
      chunk('IHDR', Buffer.concat([head(1, 1).subarray(8, 21), Buffer.of(0)])),
      end,
    ]),
    Buffer.concat([start, pixels, end]),
    Buffer.concat([start, head(1, 1), head(1, 1), end]),
    Buffer.concat([start, head(0, 1), end]),
    Buffer.concat([start, head(2049, 1), end]),
    Buffer.concat([start, head(1, 2049), end]),
    Buffer.from(svg('')),
    Buffer.alloc(0),
  ]) {
    await assert.rejects(read(content, 'logo.png'), isRefused)
  }
  await assert.rejects(readLogo(path.join(folder, 'none.svg')), isRefused)
})

test('a file of 64 KB is taken, and a byte more is not', async () => {
  const of = (size: number) =>
    svg(`<title>${'a'.repeat(size - svg('<title></title>').length)}</title>`)
  assert.equal((await read(of(64 * 1024))).content.length, 64 * 1024)
  await assert.rejects(read(of(64 * 1024 + 1)), /is larger than 64 KB/)
})
