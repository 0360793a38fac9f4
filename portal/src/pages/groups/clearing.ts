// The screen of payments to other banks, by the name of its page.
import { Clearing } from '../../screens/staff/clearing.tsx'

export const screens = { clearing: Clearing }
