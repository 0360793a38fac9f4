// The screens of cards and their payments, by the name of their page.
import { CardPayments } from '../../screens/customer/cards/card-payments.tsx'
import { Cards } from '../../screens/customer/cards/cards.tsx'

export const screens = { cards: Cards, cardPayments: CardPayments }
