// The screens of what staff book for other banks and add to the bank's own, by their pages.
import { BankAccountNew } from '../../screens/staff/rail/bank-account-new.tsx'
import { Incoming } from '../../screens/staff/rail/incoming.tsx'

export const screens = { bankAccountNew: BankAccountNew, incoming: Incoming }
