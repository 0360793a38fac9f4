// The screens by which staff find people and accounts, by the name of their page.
import { StaffCustomer } from '../staff/customer.tsx'
import { Search } from '../staff/search.tsx'
import { UserNew } from '../staff/user-new.tsx'
import { Users } from '../staff/users.tsx'

export const screens = {
  home: Search,
  search: Search,
  staffCustomer: StaffCustomer,
  userNew: UserNew,
  users: Users,
}
