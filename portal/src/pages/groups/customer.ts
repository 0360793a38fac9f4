// The screen that customers begin with, by the name of its page.
import { Home } from '../../screens/customer/home.tsx'

export const screens = { home: Home }
