// Characters that free text takes and refuses and names that look alike.

/** One of every kind that is taken, and combining marks after letters they do not compose with. */
export const taken = "Ωμέγα नि 日本 قرش 𐐀𐐨 ٣७ q\u0323\u0307 e\u0301 / - ? : ( ) . , ' + & # ·"

/** By what it is. */
export const refusedCharacters: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...'<>{}$;="\\`@!%*_|~^[]€£§°©«»…–—’“”¿¡½²⁵'].map((each) => [each, each])),
  'a full-width less-than': '＜',
  'a full-width ampersand': '＆',
  'a small less-than': '﹤',
  'a tab': '\t',
  'a line feed': '\n',
  'a carriage return': '\r',
  'a control of one': '\u0001',
  'a vertical tab': '\u000b',
  'an escape': '\u001b',
  'a delete': '\u007f',
  'a control of C1': '\u0085',
  'an Arabic letter mark': '\u061c',
  'a left-to-right mark': '\u200e',
  'a right-to-left mark': '\u200f',
  'a left-to-right embedding': '\u202a',
  'a right-to-left embedding': '\u202b',
  'a pop of directional formatting': '\u202c',
  'a left-to-right override': '\u202d',
  'a right-to-left override': '\u202e',
  'a left-to-right isolate': '\u2066',
  'a right-to-left isolate': '\u2067',
  'a first strong isolate': '\u2068',
  'a pop of a directional isolate': '\u2069',
  'a line separator': '\u2028',
  'a paragraph separator': '\u2029',
  'a space that does not break': '\u00a0',
  'an ideographic space': '\u3000',
  'a space of no width': '\u200b',
  'a word joiner': '\u2060',
  'a soft hyphen': '\u00ad',
  'a byte order mark': '\ufeff',
  'a tag': '\u{e0061}',
  'a character of private use': '\ue000',
  'a character that is none': '\uffff',
  'a character not yet assigned': '\u0378',
  'the character for what was no text': '\ufffd',
  'an emoji': '😀',
  'a Hangul filler': '\u3164',
  'a half-width Hangul filler': '\uffa0',
  'a Hangul initial filler': '\u115f',
  'a grapheme joiner': '\u034f',
  'a variation selector': '\ufe0f',
  'an ideographic variation selector': '\u{e0100}',
}

/** Words that are spelt with a joiner: Persian, Hindi, Bengali, Sinhala. */
export const joined = ['می\u200cخواهم', 'क्\u200dष', 'র\u200d্যাম', 'ශ්\u200dරී']

/** Where a joiner shapes no letter, by where it stands. */
export const misplacedJoiners: Readonly<Record<string, string>> = {
  'at the beginning': '\u200cab',
  'at the end': 'ab\u200d',
  alone: '\u200c',
  'beside a space': 'a \u200db',
  'before a space': 'a\u200d b',
  'beside a digit': 'a\u200c1',
  'behind a digit': '1\u200ca',
  'beside a sign': 'a\u200d.b',
  'beside another one': 'a\u200c\u200db',
}

/** Texts of characters that are taken, with nothing to see. */
export const blank: Readonly<Record<string, string>> = {
  'a space': ' ',
  spaces: '   ',
  'a mark upon nothing': '\u0301',
  'a mark upon a space': ' \u0301',
}

/** The canonical name that all of `alike` are spellings of. */
export const canonical = 'kaffis'

/** By how it is spelt: NFKC and lower case bring each to {@link canonical}. */
export const alike: Readonly<Record<string, string>> = {
  capitals: 'KAFFIS',
  'mixed case': 'kAfFiS',
  'full width': 'ｋａｆｆｉｓ',
  'full-width capitals': 'ＫＡＦＦＩＳ',
  'a ligature ffi': 'ka\ufb03s',
  'a ligature ff': 'ka\ufb00is',
  'a kelvin sign': '\u212aaffis',
  'a long s': 'kaffi\u017f',
  'mathematical bold': '𝐤𝐚𝐟𝐟𝐢𝐬',
  'mathematical script capitals': '𝒦𝒜ℱℱℐ𝒮',
  circled: 'ⓚⓐⓕⓕⓘⓢ',
  superscript: 'ᵏᵃᶠᶠⁱˢ',
}

/** By what it is: whatever it looks like, none of these is a name of anybody. */
export const unlike: Readonly<Record<string, string>> = {
  'a dotless i': 'kaff\u0131s',
  'a capital I with a dot': 'KAFF\u0130S',
  'a Cyrillic a': 'k\u0430ffis',
  'a Greek kappa': '\u03baaffis',
  'a Cherokee s': 'kaffi\u13da',
  'a combining acute': 'kaffi\u0301s',
  'a letter with an acute': 'kaff\u00eds',
  'a combining mark at the end': 'kaffis\u0323',
  'a variation selector': 'kaffis\ufe0f',
  'a space of no width': 'kaf\u200bfis',
  'a joiner of no width': 'kaf\u200dfis',
  'a soft hyphen': 'kaf\u00adfis',
  'a byte order mark': '\ufeffkaffis',
  'a right-to-left mark': 'kaffis\u200f',
  'a right-to-left override': '\u202esiffak',
  'a tag': 'kaffis\u{e0061}',
  'a space at the end': 'kaffis ',
  'a space at the beginning': ' kaffis',
  'a space that does not break': 'kaffis\u00a0',
  'a line feed at the end': 'kaffis\n',
  'an Arabic digit': 'kaffis\u0661',
}
