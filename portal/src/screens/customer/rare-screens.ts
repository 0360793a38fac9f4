// The screens that customers need rarely, by the name of their page.
import { AccountClose } from './account-close.tsx'
import { AccountNew } from './account-new.tsx'
import { Charts } from './charts.tsx'
import { Statements } from './statements.tsx'
import { Beneficiaries } from './beneficiaries.tsx'
import { BeneficiaryNew } from './beneficiary-new.tsx'
import { Cards } from './cards.tsx'

export const screens = {
  cards: Cards,
  beneficiaryNew: BeneficiaryNew,
  beneficiaries: Beneficiaries,
  accountClose: AccountClose,
  accountNew: AccountNew,
  charts: Charts,
  statements: Statements,
}
