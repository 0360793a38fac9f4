// The screens of those who act for an account of somebody else, by the name of their page.
import { SharedAccount } from '../../screens/customer/members/shared-account.tsx'

export const screens = { sharedAccount: SharedAccount }
