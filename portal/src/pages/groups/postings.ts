// The screens of what the bank books and of its own accounts, by the name of their page.
import { StaffBank } from '../../screens/staff/bank-account.tsx'
import { StaffPosting } from '../../screens/staff/posting.tsx'
import { Postings } from '../../screens/staff/postings/page.tsx'

export const screens = { postings: Postings, staffBank: StaffBank, staffPosting: StaffPosting }
