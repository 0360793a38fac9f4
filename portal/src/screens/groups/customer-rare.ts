// The screens that customers need rarely, by the name of their page.
import { AccountClose } from '../customer/account-close.tsx'
import { AccountNew } from '../customer/account-new.tsx'
import { Charts } from '../customer/charts.tsx'
import { Statements } from '../customer/statements.tsx'
import { Beneficiaries } from '../customer/beneficiaries.tsx'
import { BeneficiaryNew } from '../customer/beneficiary-new.tsx'
import { Cards } from '../customer/cards.tsx'

export const screens = {
  cards: Cards,
  beneficiaryNew: BeneficiaryNew,
  beneficiaries: Beneficiaries,
  accountClose: AccountClose,
  accountNew: AccountNew,
  charts: Charts,
  statements: Statements,
}
