// Whether the window is as narrow as a phone: then the menu is a bar at the bottom.
import { cell } from './cell.ts'

const query = matchMedia('(max-width: 48rem)')
export const isPhone = cell(query.matches)
query.addEventListener('change', () => (isPhone.value = query.matches))
