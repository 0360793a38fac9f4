// The screen of cards, by the name of its page.
import { Cards } from '../../screens/customer/cards.tsx'

export const screens = { cards: Cards }
