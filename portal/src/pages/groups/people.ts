// The screens by which staff find people and accounts, by the name of their page.
import { Search } from '../../screens/staff/finding/search.tsx'
import { UserNew } from '../../screens/staff/people/user-new.tsx'
import { Users } from '../../screens/staff/people/users.tsx'

import { StaffOrders } from '../../screens/staff/people/orders-page.tsx'

export const screens = {
  staffOrders: StaffOrders,
  home: Search,
  search: Search,
  userNew: UserNew,
  users: Users,
}
