// XML as it is read, whatever its document says: what is plain, and how the rest is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../domain/errors.ts'
import { openXmlReader, withoutReferences } from './xml.ts'

const isFault = (message: string) => (thrown: unknown) => {
  assert.ok(thrown instanceof Refusal)
  assert.deepEqual(thrown.options.details, [{ path: '/body', message }])
  return true
}

test('XML is read as it is written: references, sections, quotes, depth and namespaces', () => {
  for (const [written, meant] of [
    ['&lt;b&gt; &quot;&apos;&amp;', `<b> "'&`],
    ['&amp;lt;', '&lt;'],
    ['&#252;&#xfc;&#xFC;', 'üüü'],
    ['&#10;&#x10;', '\n\u0010'],
    ['&#128512;&#x1f600;', '😀😀'],
    ['&#1114111;&#x10ffff;', '\u{10ffff}\u{10ffff}'],
    ['&#1114112;&#x110000;', '\ufffd\ufffd'],
  ]) {
    assert.equal(withoutReferences(written as string), meant, written)
  }
  const readPlain = openXmlReader(new Set(['a', 'b']))
  const nested = (depth: number) => `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`
  for (const [text, root, namespace] of [
    ['<a>x</a>', 'x'],
    ['<a/>', ''],
    ['<a>&#13;\n<b>1</b>&#xD;&#32; </a>', { b: '1', '#text': '&#13;&#xD;&#32;' }],
    ['<!--><a xmlns="v"> --><a xmlns="u">x</a>', 'x', 'u'],
    [`<a n='>"' m="/>'">x</a>`, { '@n': '>"', '@m': "/>'", '#text': 'x' }],
    ['<a><b>1</b><c><b>2</b></c><b/></a>', { b: ['1', ''] }],
    ['<a>x<!-- > < --></a>', 'x'],
    ['<a><![CDATA[<b> </a> ]]></a>', '<b> </a> '],
    ['<!-- <a xmlns="v"> --><!----><a xmlns="u">x</a>', 'x', 'u'],
    [`<p:a xmlns='v' xmlns:p='u'/>`, '', 'u'],
    ['<a xmlns:p="u"/>', ''],
  ] as [string, unknown, string?][]) {
    const read = readPlain(Buffer.from(text))
    assert.deepEqual([read.root['a'], read.namespace], [root, namespace], text)
  }
  assert.ok(readPlain(Buffer.from(nested(30))))
  const tags = (count: number) => Buffer.from(`<a>${'<c/>'.repeat(count - 2)}</a>`)
  assert.ok(readPlain(tags(150_000)))
  assert.throws(() => readPlain(tags(150_001)), isFault('line 1: has too many elements'))
  for (const [text, told] of [
    [nested(31), 'line 1: is nested too deeply'],
    ['<a>\n<a n="</a>', 'line 2: does not end'],
    ['<a\n<b></a>', 'line 1: does not end'],
    ['<a>\n<<b></b></a>', 'line 2: does not end'],
    ['<a>\n\n<![CDATA[x]]</a>', 'line 3: does not end'],
    ['<a><!-- x --</a>', 'line 1: does not end'],
    ['<a>\n<?php ?></a>', 'line 2: has a document type or a processing instruction'],
    ['<!DOCTYPE a><a/>', 'line 1: has a document type or a processing instruction'],
    ['<a>&amp;\n&nbsp;</a>', 'line 2: has an entity'],
    ['<a>&#x;</a>', 'line 1: has an entity'],
    ['<a>\n\u0001</a>', 'line 2: has a character that XML does not allow'],
    ['<a>\n<b></a>', 'line 2: is not well-formed XML'],
    ['<a>1<c/>0.00</a>', 'line 1: has text beside elements'],
    ['<a>\n<b/>x</a>', 'line 2: has text beside elements'],
    ['<a><b>1</b>\n<!-- -->x</a>', 'line 2: has text beside elements'],
    ['<a><![CDATA[x]]>\n<c/></a>', 'line 1: has text beside elements'],
    ['<a>x\n<!-- --><c/></a>', 'line 1: has text beside elements'],
    ['<a>\n<b/><![CDATA[ ]]></a>', 'line 2: has text beside elements'],
  ]) {
    assert.throws(() => readPlain(Buffer.from(text as string)), isFault(told as string), text)
  }
})
