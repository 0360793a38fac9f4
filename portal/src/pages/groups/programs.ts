// The screens of service accounts, by the name of their page.
import { ServiceAccountNew } from '../../screens/programs/service-account-new.tsx'
import { StaffServiceAccount } from '../../screens/programs/service-account.tsx'
import { ServiceAccounts } from '../../screens/programs/service-accounts.tsx'

export const screens = {
  programs: ServiceAccounts,
  serviceAccountNew: ServiceAccountNew,
  staffServiceAccount: StaffServiceAccount,
}
