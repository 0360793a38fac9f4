// Every pattern of the API reference is compiled by the engines that generated clients use it in.
import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { call, folder, goTools, need, withTools } from './tools.ts'

const place = await mkdtemp(path.join(tmpdir(), 'strongroom-patterns-'))
after(() => rm(place, { recursive: true, force: true }))

/** Found in an earlier reference: Java and Ruby take the second `[` for a class in the class. */
const refused = '^[a-z%[\\]-]+$'

const patterns = new Set<string>()
JSON.parse(
  await readFile(path.resolve(import.meta.dirname, '../../docs/openapi.json'), 'utf8'),
  (key, value: unknown) => {
    if (key === 'pattern' && typeof value === 'string') patterns.add(value)
    return value
  },
)
assert.ok(patterns.size > 20)
const file = path.join(place, 'patterns')
await writeFile(file, [...patterns].join('\n'))
const wrong = path.join(place, 'wrong')
await writeFile(wrong, ['^(', ...patterns, refused].join('\n'))

type Engine = {
  tools: () => Promise<void>
  program: string
  run(program: string): readonly [command: string, ...args: string[]]
  /** Whether it refuses the pattern of before. */
  isStrict?: true
}

const engines: Record<string, Engine> = {
  Java: {
    tools: () => need('java', ['-version'], 'Java'),
    program: 'Patterns.java',
    run: (program) => ['java', program],
    isStrict: true,
  },
  Python: {
    tools: () => need('python3', ['--version'], 'Python'),
    program: 'patterns.py',
    run: (program) => ['python3', program],
  },
  Go: { tools: goTools, program: 'patterns.go', run: (program) => ['go', 'run', program] },
  Ruby: {
    tools: () => need('ruby', ['--version'], 'Ruby'),
    program: 'patterns.rb',
    run: (program) => ['ruby', program],
    isStrict: true,
  },
  '.NET': {
    // No older one runs a program of one file.
    tools: () => need('dotnet', ['run', 'patterns/patterns.cs', '--', '/dev/null'], '.NET 10'),
    program: 'patterns.cs',
    run: (program) => ['dotnet', 'run', program, '--'],
  },
}

for (const [name, { tools, program, run, isStrict }] of Object.entries(engines)) {
  withTools(`every pattern of the reference is one of ${name}`, tools, async () => {
    const copy = path.join(place, program)
    await cp(path.join(folder, 'patterns', program), copy)
    const [command, ...args] = run(copy)
    const refusals = async (list: string) => {
      const lines = (await call(command, [...args, list], place)).split('\n').filter(Boolean)
      return lines.map((line) => line.split(' ')[0])
    }
    assert.deepEqual(await refusals(file), [])
    assert.deepEqual(await refusals(wrong), ['^(', ...(isStrict ? [refused] : [])])
  })
}
