// The bank whose pages these are, as the server has told in the first page.
const told = document.documentElement.dataset

export const bankName = told['bankName'] ?? ''
/** Its BIC; undefined if it has none. */
export const bic = told['bic'] || undefined
/** How it is reached; undefined where the bank has not set it. */
export const bankPhone = told['bankPhone'] || undefined
export const bankAddress = told['bankAddress'] || undefined
/** The time zone of its days: of statements, limits and filters by day. */
export const bankZone = told['timeZone'] ?? 'UTC'
/** Whether an owner may let others act on an account. */
export const hasMembers = told['members'] === 'on'
/** The path of its logo; undefined for that of the product. */
export const logo = told['logo'] || undefined
