// The owner of an account is told once that its balance is below an amount, until it reaches the
// amount again.

export const belowColumns = { noticeBelow: 'int8?', isBelowTold: 'bool' } as const

export type BelowNotice = {
  /** In minor units; null: the owner wants no notice. */
  noticeBelow: bigint | null
  isBelowTold: boolean
}

/** Whether the balance is below the amount. An account at the amount is not. */
export const isBelow = (noticeBelow: bigint | null, balance: bigint): boolean =>
  noticeBelow !== null && balance < noticeBelow
