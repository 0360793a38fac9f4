// The screens of payees and of cards, by the name of their page.
import { Beneficiaries } from '../../screens/customer/beneficiaries.tsx'
import { BeneficiaryNew } from '../../screens/customer/beneficiary-new.tsx'
import { Cards } from '../../screens/customer/cards.tsx'

export const screens = {
  cards: Cards,
  beneficiaryNew: BeneficiaryNew,
  beneficiaries: Beneficiaries,
}
