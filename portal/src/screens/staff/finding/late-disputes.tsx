// The page of disputes, whose parts and texts are loaded when it is opened.
import { Later } from '../../../parts/later.tsx'
import { loadTexts } from '../../../texts/language.ts'

const load = async () => {
  const [{ Disputes }] = await Promise.all([import('./disputes.tsx'), loadTexts('disputes')])
  return Disputes
}

export const LateDisputes = () => <Later load={load} with={{}} />
