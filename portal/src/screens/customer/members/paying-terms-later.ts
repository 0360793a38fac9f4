// Loads what a bank says before a payment whose owners may let others act.
import { loadTexts } from '../../../texts/language.ts'

export async function loadPayingTerms() {
  const [{ PayingTerms }] = await Promise.all([import('./paying-terms.tsx'), loadTexts('members')])
  return PayingTerms
}
