// The screens of those who act for an account of somebody else, by the name of their page.
import { SharedAccount } from '../../screens/customer/members/shared-account.tsx'
import { Signatures } from '../../screens/customer/members/signatures.tsx'

export const screens = { sharedAccount: SharedAccount, signatures: Signatures }
