// The screen of payment lists, by the name of their page.
import { Lists } from '../../screens/lists/lists.tsx'

export const screens = { lists: Lists }
