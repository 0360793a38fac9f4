// The icons, each as one line on a ground of 24 by 24. A word stands beside each, or names it.
const lines = {
  home: 'M4 11l8-7 8 7v9H4z',
  transfer: 'M5 12h14M13 6l6 6-6 6',
  beneficiaries: 'M4 20c0-4 3-6 8-6s8 2 8 6M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8',
  orders: 'M4 5h16v15H4zM4 10h16',
  cards: 'M3 6h18v12H3zM3 10h18',
  statements: 'M7 3h8l4 4v14H7zM10 12h6M10 16h6',
  search: 'M11 17a6 6 0 1 0 0-12 6 6 0 0 0 0 12M20 20l-4.7-4.7',
  clearing: 'M4 8h14l-4-4M20 16H6l4 4',
  users: 'M3 20c0-8 12-8 12 0M9 11a3 3 0 1 0 0-7 3 3 0 0 0 0 7M16 4a3 3 0 0 1 0 7M21 19l-3-5',
  today: 'M5 20V10M12 20V4M19 20v-7',
  programs: 'M9 4v5M15 4v5M6 9h12v4a6 6 0 0 1-12 0zM12 19v3',
  profile: 'M4 21c0-5 3-7 8-7s8 2 8 7M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8',
  approvals: 'M4 12l6 6L20 6',
  audit: 'M12 7v5l3 3M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18',
  security: 'M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6z',
  preferences: 'M4 7h16M4 17h16M9 4v6M15 14v6',
  signOut: 'M14 4H5v16h9M10 12h10M16 8l4 4-4 4',
  in: 'M12 4v16M6 14l6 6 6-6',
  out: 'M12 20V4M6 10l6-6 6 6',
  filter: 'M4 7h16M7 12h10M10 17h4',
  more: 'M5 11v2M4 12h2M12 11v2M11 12h2M19 11v2M18 12h2',
} as const

export type IconName = keyof typeof lines

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={lines[name]} />
  </svg>
)
