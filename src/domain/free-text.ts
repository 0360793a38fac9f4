// The characters of free text, as patterns with the flag `u`. No library is used: the portal checks
// by them too.

/** Letters, marks and digits of any script, space and the SEPA punctuation (EPC217-08). */
export const characterClass = "\\p{L}\\p{M}\\p{Nd} /?:().,'+&#·-"
/** Between two letters only, with their marks: they shape Persian and Indic words. */
export const joinerPattern = '(?<=\\p{L}\\p{M}*)[\\u200c\\u200d](?=\\p{M}*\\p{L})'
/** Shows nothing by itself (Default_Ignorable_Code_Point, Unicode 5.21). */
const invisible = '(?![\\u200c\\u200d])\\p{DI}'

/**
 * No markup, no control and no bidirectional-control characters, so stored text is inert wherever
 * it is shown. Letters and marks that show nothing are refused: with them two names look the same,
 * or one looks empty.
 *
 * @param more further characters, as they stand in a class
 */
const made = (more: string, count: '*' | '+'): string =>
  `(?!.*${invisible})(?:[${more}${characterClass}]|${joinerPattern})${count}$`

/** Something to see: a character that is neither a space nor a mark upon another. */
const visible = '(?=.*[^ \\p{M}])'

/** Text that may be empty. */
export const optionalTextPattern = `^${made('', '*')}`
export const textPattern = `^${visible}${made('', '*')}`
/** Text that may hold the signs of user names and usual e-mail addresses too. */
export const searchPattern = `^${made('@_', '+')}`

export const textRule =
  "Letters, marks and digits of any script, space and `/ - ? : ( ) . , ' + & # ·`; U+200C and " +
  'U+200D between two letters; no other character that shows nothing.'

/** Text of several lines. The line feed is the only control character in it. */
export const notePattern =
  `^(?=[\\s\\S]*[^ \\n\\p{M}])(?![\\s\\S]*${invisible})` +
  `(?:[\\n${characterClass}]|${joinerPattern})+$`
