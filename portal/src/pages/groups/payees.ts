// The screens of payees, by the name of their page.
import { Beneficiaries } from '../../screens/customer/payees/beneficiaries.tsx'
import { BeneficiaryNew } from '../../screens/customer/payees/beneficiary-new.tsx'

export const screens = {
  beneficiaryNew: BeneficiaryNew,
  beneficiaries: Beneficiaries,
}
