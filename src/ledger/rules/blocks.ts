// Blocks of an account, apart from its freeze. A block of debits stops what leaves the account at
// its customer's will, a block of credits what arrives from others. What was reserved before is
// still taken, and what the bank itself corrects or brings back still moves: see `passesBlocks`.

/** Several classes of causes: support staff are told the class of a cause, and not the cause. */
export const causeClasses = ['authority', 'security', 'person', 'bank'] as const
export type CauseClass = (typeof causeClasses)[number]

/**
 * Why an account is blocked. What a law forbids to tell shares its class with a court's order, so
 * that the class alone tells nothing of it.
 */
const causes = {
  court_order: 'authority',
  insolvency: 'authority',
  sanctions: 'authority',
  money_laundering: 'authority',
  fraud: 'security',
  takeover: 'security',
  death: 'person',
  guardianship: 'person',
  customer_request: 'person',
  identification: 'bank',
  bank_request: 'bank',
} as const satisfies Record<string, CauseClass>

export type BlockCause = keyof typeof causes
export const blockCauses = Object.keys(causes) as BlockCause[]
export const classOf = (cause: BlockCause): CauseClass => causes[cause]

/** The sum of its blocks, as an account has it. Null: none stops that side. */
export type StoredBlocks = {
  debitsBlockedUntil: Date | null
  creditsBlockedUntil: Date | null
}
export const blockColumns = {
  debitsBlockedUntil: 'timestamptz?',
  creditsBlockedUntil: 'timestamptz?',
} as const

/** The end of a block that has none: the last millisecond of the calendar. */
export const noEnd = new Date('9999-12-31T23:59:59.999Z')

/** A block stands from its making on, and no more in the millisecond that `until` names. */
const stands = (until: Date | null, at: number): boolean => until !== null && at < until.getTime()

/** Whether they stop what leaves at that time, in milliseconds since the epoch. */
export const areDebitsBlocked = ({ debitsBlockedUntil }: StoredBlocks, at: number): boolean =>
  stands(debitsBlockedUntil, at)

/** Whether they stop what arrives at that time. */
export const areCreditsBlocked = ({ creditsBlockedUntil }: StoredBlocks, at: number): boolean =>
  stands(creditsBlockedUntil, at)

export type BlockTerms = {
  debits: boolean
  credits: boolean
  /** Null: until it is lifted. */
  until: Date | null
}

/**
 * The sum of blocks that are not lifted. Each stands from before this moment on, so together they
 * stop a side until the last of them ends.
 */
export const sumOfBlocks = (blocks: readonly BlockTerms[]): StoredBlocks => ({
  debitsBlockedUntil: lastEnd(blocks.filter(({ debits }) => debits)),
  creditsBlockedUntil: lastEnd(blocks.filter(({ credits }) => credits)),
})

const lastEnd = (blocks: readonly BlockTerms[]): Date | null =>
  blocks.length === 0
    ? null
    : new Date(Math.max(...blocks.map(({ until }) => (until ?? noEnd).getTime())))

const blockPrefix = 'block '
/** Whether a detail of the trail is of {@link tellBlock}: its cause is for staff alone. */
export const isOfBlock = (detail: string | null): boolean =>
  detail?.startsWith(blockPrefix) === true

/**
 * What a block stops, as the trail keeps it and the verification compares it. No note: it may name
 * a person, and is erased.
 */
export const tellBlock = ({
  id,
  debits,
  credits,
  cause,
  until,
}: BlockTerms & { id: string; cause: BlockCause }): string =>
  `${blockPrefix}${id}: ${[debits && 'debits', credits && 'credits'].filter(Boolean).join(' and ')}` +
  ` for ${cause}${until === null ? '' : ` until ${until.toISOString()}`}`
