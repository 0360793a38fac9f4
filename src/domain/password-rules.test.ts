// Which new passwords are refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { passwordProblem } from './password-rules.ts'

const common = [
  'qwertyuiop123',
  'iloveyou2024!',
  'ILOVEYOU 2024',
  '!!!michelle1999',
  'ｐａｓｓｗｏｒｄ1234',
  '1qaz2wsx3edc',
  'passwordpassword',
  'abcabcabcabc',
  'aaaaaaaaaaaa',
]

test('a common password is refused, also lengthened by digits and signs or written twice', () => {
  for (const password of common) {
    assert.equal(passwordProblem(password), 'is a common password', password)
  }
})

const fine = [
  'correct horse battery',
  'iloveyou and the sea',
  'my 2024 iloveyou',
  'passwordpasswords',
  '4711-0815-2342-9998',
  '🐎🔋📎✏️🐎🔋📎📎✏️🐎🔋📎🌊',
]

test('any other password of 12 to 128 characters is taken, of whatever characters', () => {
  for (const password of fine) assert.equal(passwordProblem(password), undefined, password)
  assert.equal(passwordProblem('x1'.repeat(6).slice(1)), 'has fewer than 12 characters')
  assert.equal(passwordProblem(`y${'x1'.repeat(64)}`), 'has more than 128 characters')
  assert.equal(passwordProblem('my name is Ada, yes', 'ada'), 'contains the user name')
})
