// The roles of people.
export const roles = ['customer', 'support-agent', 'admin'] as const
export type Role = (typeof roles)[number]
