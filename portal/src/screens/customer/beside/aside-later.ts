// What stands beside entries, with its texts: loaded behind them.
import { loadTexts } from '../../../texts/language.ts'

export async function loadAside() {
  const [{ Aside }] = await Promise.all([import('./aside.tsx'), loadTexts('orders')])
  return Aside
}
