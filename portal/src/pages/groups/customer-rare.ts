// The screens that customers need rarely, by the name of their page.
import { AccountClose } from '../../screens/customer/account-close.tsx'
import { AccountNew } from '../../screens/customer/account-new.tsx'
import { Charts } from '../../screens/customer/charts.tsx'
import { Statements } from '../../screens/customer/statements.tsx'
import { Beneficiaries } from '../../screens/customer/beneficiaries.tsx'
import { BeneficiaryNew } from '../../screens/customer/beneficiary-new.tsx'
import { Cards } from '../../screens/customer/cards.tsx'

export const screens = {
  cards: Cards,
  beneficiaryNew: BeneficiaryNew,
  beneficiaries: Beneficiaries,
  accountClose: AccountClose,
  accountNew: AccountNew,
  charts: Charts,
  statements: Statements,
}
