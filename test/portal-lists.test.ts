// Lists that the portal keeps for itself, so that no page has to load the routes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTypes as shown } from '../portal/src/screens/programs/event-types.ts'
import { grantable } from '../portal/src/screens/programs/operations.ts'
import { languages } from '../src/domain/languages.ts'
import { eventTypes } from '../src/features/events/sql.ts'
import { routes } from '../src/features/routes.ts'
import { testType } from '../src/features/webhooks/schemas.ts'

test('the portal offers each operation that a service account may be granted, and no other', () => {
  const operations = routes.filter(({ service }) => service === 'operation')
  assert.deepEqual(
    [...grantable].toSorted(),
    operations.map(({ operation }) => operation).toSorted(),
  )
})

test('the portal offers each type of event, and has words for it in each language', async () => {
  assert.deepEqual([...shown].toSorted(), eventTypes.toSorted())
  for (const language of Object.keys(languages)) {
    const file = `../languages/${language}/portal/programs.ts`
    const { texts } = (await import(file)) as { texts: { feed: { types: object } } }
    assert.deepEqual(
      Object.keys(texts.feed.types).toSorted(),
      [testType, ...eventTypes].toSorted(),
      language,
    )
  }
})
