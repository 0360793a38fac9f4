// Changes of SQL text. A condition that is switched off stays in the text as `(… or true)`, so that
// its parameters keep their types.
import type { Change } from './mutants.ts'

const isSql = /^\s*(select|insert into|update|delete from|with)\b/i

/** Words that end a condition where they stand at its own depth of brackets. */
const endWords =
  'and or returning order group having limit for union then else when end on where left join as'
const ends = new RegExp(`^(${endWords.replaceAll(' ', '|')})\\b`, 'i')

const replaced: [kind: string, what: RegExp, by: string][] = [
  [
    'no lock',
    /\s+for (no key update|update|key share|share)( of \w+)?( skip locked| nowait)?/gi,
    '',
  ],
  ['no skip', / skip locked/gi, ''],
  ['no conflict clause', /\s+on conflict (\([^)]*\) )?do nothing/gi, ''],
  ['is null to is not null', /\bis null\b/gi, 'is not null'],
  ['is not null to is null', /\bis not null\b/gi, 'is null'],
  ['distinct', /\bis distinct from\b/gi, 'is not distinct from'],
  ['exists', /(?<!not )\bexists \(/gi, 'not exists ('],
  ['< to <=', /(?<=[\w)] )<(?= )/g, '<='],
  ['> to >=', /(?<=[\w)] )>(?= )/g, '>='],
  ['<= to <', /(?<=[\w)] )<=(?= )/g, '<'],
  ['>= to >', /(?<=[\w)] )>=(?= )/g, '>'],
  ['<> to =', /(?<=[\w)] )<>(?= )/g, '='],
  ['order', /(?<=order by [\w., ]*) desc\b/gi, ''],
  ['min to max', /\bmin\(/gi, 'max('],
  ['max to min', /\bmax\(/gi, 'min('],
  ['constant', /(?<=[ (])\d+(?=$|[ ,)\n])/g, '+1'],
]

export function sqlChanges(text: string): Change[] {
  if (!isSql.test(text)) return []
  const changes = replaced.flatMap(([kind, what, by]) =>
    [...text.matchAll(what)].map(({ 0: found, index }): Change => {
      const made = by === '+1' ? String(BigInt(found) + 1n) : by
      return { kind: `SQL ${kind}`, text: made, start: index, end: index + found.length }
    }),
  )
  return [...changes, ...conditions(text)]
}

/** Each condition of a `where`, an `on` or behind an `and`, taken for true. */
function conditions(text: string): Change[] {
  const found: Change[] = []
  for (const { 0: word, index } of text.matchAll(/\b(where|and|on)\s+/gi)) {
    const start = index + word.length
    if (/^(conflict|true\b)/i.test(text.slice(start)) || isRange(text, index)) continue
    const end = conditionEnd(text, start)
    const condition = text.slice(start, end).trimEnd()
    if (condition === '') continue
    const off = `(${condition} or true)`
    found.push({ kind: 'SQL no condition', text: off, start, end: start + condition.length })
  }
  return found
}

/** The `and` of `between … and …`. */
const isRange = (text: string, at: number): boolean =>
  /\bbetween\s+[^\s]+\s+$/i.test(text.slice(0, at))

function conditionEnd(text: string, start: number): number {
  let depth = 0
  let isBetween = false
  for (let at = start; at < text.length; at++) {
    const character = text[at] as string
    if (character === '(') depth++
    if (character === ')' && --depth < 0) return at
    if (depth > 0 || /\w/.test(text[at - 1] ?? ' ')) continue
    if (character === ',' || character === ';') return at
    const rest = text.slice(at)
    if (/^between\b/i.test(rest)) isBetween = true
    if (isBetween && /^and\b/i.test(rest)) isBetween = false
    else if (ends.test(rest) && !/^from\b/i.test(rest)) return at
  }
  return text.length
}
