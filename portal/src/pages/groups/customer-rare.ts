// The screens that customers need rarely, by the name of their page.
import { AccountClose } from '../../screens/customer/account/account-close.tsx'
import { AccountNew } from '../../screens/customer/account/account-new.tsx'
import { Charts } from '../../screens/customer/charts.tsx'
import { Statements } from '../../screens/customer/statements.tsx'

export const screens = {
  accountClose: AccountClose,
  accountNew: AccountNew,
  charts: Charts,
  statements: Statements,
}
