// The screens by which staff find people and accounts, by the name of their page.
import { Search } from '../../screens/staff/finding/search.tsx'
import { UserNew } from '../../screens/staff/people/user-new.tsx'
import { Users } from '../../screens/staff/people/users.tsx'

export const screens = {
  home: Search,
  search: Search,
  userNew: UserNew,
  users: Users,
}
