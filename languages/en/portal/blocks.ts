// The texts in English of the blocks of an account, for staff.
import type { BlockCause } from '../../words.ts'

export const texts = {
  block: {
    causes: {
      court_order: 'Order of a court or an authority',
      insolvency: 'Insolvency',
      sanctions: 'Sanctions',
      money_laundering: 'Suspicion of money laundering',
      fraud: 'Suspicion of fraud',
      takeover: 'Somebody else may have access',
      death: 'Death of the holder',
      guardianship: 'Guardianship',
      customer_request: 'Asked for by the holder',
      identification: 'Identification is missing',
      bank_request: 'Other cause of the bank',
    } satisfies Record<BlockCause, string>,
  },
  staffBlocks: {
    title: 'Blocks',
    none: 'There is no block, and there was none.',
    set: 'Set a block',
    setDone: 'The block is set.',
    side: 'What it stops',
    sides: {
      debits: 'What leaves the account',
      credits: 'What arrives on the account',
      both: 'What leaves and what arrives',
    },
    stops: {
      debits:
        'It stops transfers, payments to other banks, cash withdrawals, standing orders on their days, and new card payments.',
      credits:
        'It stops transfers to the account and cash deposits. Money from other banks, and what shops give back, is refused or lies in suspense.',
    },
    goesOn:
      'What was reserved before is still taken. Fees, interest, corrections and money that comes back still move: freeze the account to stop what the bank takes, too. The holder sees what is stopped, and not why.',
    cause: 'Cause',
    classes: {
      authority: 'Law or authority',
      security: 'Security',
      person: 'The person',
      bank: 'The bank',
    },
    note: 'Note',
    noteHint: 'For administrators alone. It stays as it is.',
    badNote: 'This text cannot be saved. It may hold a card number.',
    untilDay: 'Until the end of',
    untilHint: 'Optional: without a day until it is lifted.',
    badDay: 'Please choose a day from today on.',
    statuses: { active: 'Active', ended: 'Over', lifted: 'Lifted' },
    setAt: (at: string, by?: string) => (by ? `Set ${at} by ${by}` : `Set ${at}`),
    until: (at: string) => `until ${at}`,
    open: 'until it is lifted',
    liftedAt: (at: string, by?: string) => (by ? `Lifted ${at} by ${by}` : `Lifted ${at}`),
    lift: 'Lift',
    liftOf: (what: string) => `Lift the block: ${what}`,
    liftTitle: 'Lift this block?',
    liftText: 'What no other block stops can move again at once. The block stays in this list.',
    liftDone: 'The block is lifted.',
  },
}
