// The page of many postings: what it consists of is loaded once somebody opens it.
import { Screen } from '../../../parts/basic.tsx'
import { Later } from '../../../parts/later.tsx'
import { loadTexts, texts } from '../../../texts/language.ts'

async function loadMany() {
  const loading = [import('./postings.tsx'), loadTexts('manyPostings')] as const
  const [{ ManyPostings }] = await Promise.all(loading)
  return ManyPostings
}

export const Postings = () => (
  <Screen title={texts().trial.postings}>
    <Later load={loadMany} with={{}} />
  </Screen>
)
