// The screen of what was spent, by the name of its page.
import { InsightScreen } from '../../screens/customer/insight/insight.tsx'

export const screens = { insight: InsightScreen }
