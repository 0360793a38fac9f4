// The accent colour of an operator can be read on every ground that the portal has.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { accent, contrast, backgroundColors } from './accent.ts'
import { Unusable } from './values.ts'

const styles = readFileSync(new URL('../../portal/src/styles/theme.css', import.meta.url), 'utf8')
/** The colours of the first rule: `--page: light-dark(#f5f6f4, #121614)`. */
const pairOf = (name: string) => {
  const [, ...pair] = new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(styles) ?? []
  return pair.map((color) => (color.length === 4 ? color.replace(/\w/g, '$&$&') : color))
}

test('the grounds are those of the style sheet, and its own accent passes', () => {
  const { light, dark } = backgroundColors
  assert.deepEqual(pairOf('page'), [light.page, dark.page])
  assert.deepEqual(pairOf('card'), [light.card, dark.card])
  assert.deepEqual(pairOf('on-accent'), [light.onAccent, dark.onAccent])
  const [own, ownDark] = pairOf('accent')
  assert.deepEqual(accent(pairOf('accent').join(',')), { light: own, dark: ownDark })
  assert.deepEqual(accent(pairOf('link').join(', ')).light, own)
})

test('contrast is that of WCAG 2.2', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21)
  assert.equal(contrast('#ffffff', '#ffffff'), 1)
  // The known border of grey on white.
  assert.ok(contrast('#767676', '#ffffff') >= 4.5 && contrast('#777777', '#ffffff') < 4.5)
})

test('a colour below 4.5:1 on a ground where it is shown is refused, with what it has', () => {
  const refused = (text: string, reason: RegExp) =>
    assert.throws(
      () => accent(text),
      (thrown) => thrown instanceof Unusable && reason.test(thrown.message),
      text,
    )
  // Enough on white, but not on the page, which is darker.
  refused('#767676,#86d3a2', /contrast of 4\.2:1 on light grounds/)
  refused('#14532d,#14532d', /on dark grounds/)
  refused('#86d3a2,#86d3a2', /on light grounds/)
  assert.deepEqual(accent('#14532D, #86D3A2'), { light: '#14532d', dark: '#86d3a2' })
})
