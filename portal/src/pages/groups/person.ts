// The screen of one person as staff see them, by the name of its page.
import { StaffCustomer } from '../../screens/staff/people/customer.tsx'

export const screens = { staffCustomer: StaffCustomer }
