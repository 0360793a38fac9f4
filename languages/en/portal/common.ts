// The texts in English that every page may show. Every other language has the same keys.
import type { ShownCode } from '../../words.ts'
import { plural } from '../plural.ts'

export const texts = {
  common: {
    colon: ': ',
    loading: 'Loading',
    again: 'Try again',
    broken: 'This page could not be shown.',
    tryIn: (seconds: number) => `You can try again in ${plural(seconds, 'second', 'seconds')}.`,
    requestId: (id: string) => `If you ask the bank about this, name request ${id}.`,
    copy: 'Copy',
    copied: 'Copied',
    copyName: (name: string) => `Copy ${name}`,
    filter: 'Filter',
    applyFilters: 'Apply',
    clearFilters: 'Clear filters',
    more: 'Show more',
    save: 'Save',
    cancel: 'Cancel',
    close: 'Close',
    back: 'Back',
    print: 'Print',
    none: 'None',
    yes: 'Yes',
    no: 'No',
    timesIn: (zone: string) => `Times are in ${zone}.`,
    skip: 'Skip to content',
    menu: 'Main menu',
    account: 'Your profile',
    unnamedAccount: (currency: string) => `${currency} account`,
    accountStatuses: { active: 'Active', frozen: 'Frozen', closed: 'Closed' },
  },
  nav: {
    home: 'Accounts',
    transfer: 'Pay',
    orders: 'Standing orders',
    beneficiaries: 'Beneficiaries',
    cards: 'Cards',
    statements: 'Statements',
    search: 'Search',
    clearing: 'Clearing',
    users: 'Users',
    audit: 'Audit trail',
    approvals: 'Approvals',
    today: 'Today',
    programs: 'Programs',
    profile: 'Profile',
    security: 'Security',
    preferences: 'Preferences',
    signOut: 'Sign out',
    more: 'More',
  },
  form: {
    badText: "Only letters, digits, spaces and / ? : ( ) . , ' + & # · - are accepted.",
    badSign: (sign: string) => `The sign ${sign} is not accepted.`,
    badAmount: (example: string) => `Please enter an amount such as ${example}.`,
    zeroAmount: (example: string) => `Please enter an amount above zero, such as ${example}.`,
    manyDigits: (currency: string, most: number, example: string) =>
      most === 0
        ? `Amounts in ${currency} are whole numbers, such as ${example}.`
        : `${currency} has at most ${most} digits after the decimal sign, such as ${example}.`,
    signedAmount: 'Please leave out the sign before the amount.',
    longAmount: 'This amount is too long: 15 digits before the decimal sign are the most.',
    unclearAmount: (typed: string, example: string, plain: string) =>
      `“${typed}” can be read in more than one way. Write it like ${example} or ${plain}.`,
    summary: (count: number) => `Please correct ${plural(count, 'field', 'fields')}:`,
    notAccepted: 'This was not accepted.',
    required: 'Please fill this in.',
    cut: (most: number) =>
      `Only ${most} characters fit here; the rest was cut off. Please check the end.`,
    checking: 'The answer was lost. We are finding out what happened.',
    unknown:
      'The answer was lost, so we do not know whether this took effect. Please check before you try again.',
    noPayee: 'No account of this bank has the IBAN of the payee. Please compare it again.',
  },
  errors: {
    offline: 'The bank cannot be reached. Please check your connection.',
    account_closed: 'This account is closed.',
    account_frozen: 'This account is frozen. No money can leave it and nothing can be changed.',
    account_not_empty:
      'An account with a balance, a reserved amount or a payment on its way cannot be closed.',
    already_exists: 'This exists already.',
    already_reversed: 'This payment has been reversed already.',
    archived: 'This is in an archive. Please ask the bank.',
    signature_required: 'Two people have to sign this amount. Send it for signature.',
    beneficiary_cooling:
      'You logged in without your second factor. A beneficiary that was added since can be paid 24 hours after that.',
    approval_pending:
      'This now waits for the approval of a second person of the bank. Nothing has changed yet.',
    beneficiary_inactive: 'This beneficiary is deactivated. Reactivate it before you pay.',
    card_cancelled: 'This card is cancelled for good.',
    confirmation_required: 'This has to be confirmed with your second factor.',
    factor_enrolment_required: 'Set up a second factor first.',
    link_refused: 'This link was used, is too old, or a newer one was sent.',
    passkey_failed:
      'No passkey was used, or it is not known here. Try again, or choose another way.',
    second_factor_required: 'Please sign in with your second factor.',
    unconfirmed: 'This was not confirmed, so nothing has changed.',
    currency_mismatch: 'The currencies do not match.',
    credits_blocked: 'The account takes no money at present.',
    debits_blocked:
      'The bank has blocked payments from this account. No money can leave it at present.',
    duplicate_transfer: 'The same payment was made moments ago.',
    forbidden: 'You are not permitted to do this.',
    idempotency_key_reused: 'This payment was sent before with other content. Please begin anew.',
    illegal_transition: 'This is not possible in the present state. Please load the page again.',
    insufficient_funds: 'There is not enough money in the account.',
    internal_error: 'Something went wrong at the bank. Please try again later.',
    invalid_credentials: 'User name or password is not right.',
    issuer_refused:
      'The sign-in at the identity provider opens nothing here. Try again, or ask an administrator whether you are linked.',
    issuer_unavailable:
      'The identity provider does not answer at the moment. Please sign in later.',
    invalid_request: 'Something in the form was not accepted.',
    limit_exceeded: 'This would exceed a limit.',
    not_found: 'This does not exist or no longer exists.',
    outcome_unknown: 'The outcome is not known yet.',
    payee_check_required:
      'The name of the payee has to be compared anew: that holds for 15 minutes. Please begin again.',
    payee_not_accepted:
      'The name of the payee does not match. Please begin again, and go on only if you are sure.',
    rate_limited: 'Too many requests in a short time.',
    request_in_progress: 'This is being processed already.',
    session_expired: 'Your session has ended.',
    session_revoked: 'Your session was ended.',
    unauthenticated: 'Please sign in.',
    unavailable: 'The bank is busy at the moment.',
  } satisfies Record<ShownCode, string>,
  rename: {
    action: 'Rename',
    name: 'New name',
    hint: 'Only you see it. Leave it empty for none.',
    done: 'The new name is saved.',
  },
  limits: {
    perPayment: (most: string) => `At most ${most} may leave by one payment.`,
    dailyTransfers: (most: string, left: string, until: string) =>
      `The daily limit is ${most}. ${left} of it are left until ${until}.`,
    openAccounts: (most: string) => `You can have ${most} open accounts. Close one first.`,
    cards: (most: string) => `An account can have ${most} cards. Cancel one first.`,
    orders: (most: string) => `An account can have ${most} standing orders. End one first.`,
    drafts: (most: string) =>
      `This account has ${most} payments that wait for a signature, which is the limit.`,
    paymentLists: (most: string) =>
      `An account can have ${most} payment lists that are not paid. Cancel one first.`,
    secondFactors: (most: string) => `You can have ${most} second factors. Remove one first.`,
    activeHolds: (most: string) => `An account can have ${most} active holds. Release one first.`,
    members: (most: string) => `An account can have ${most} members. End one first.`,
  },
  todo: {
    title: 'Needs your attention',
    factor: (day: string) => `Set up a second factor by ${day}.`,
    approvals: (count: number) =>
      `${plural(count, 'request waits', 'requests wait')} for your approval.`,
    refused: (count: number) =>
      `${plural(count, 'request', 'requests')} of yours ${count === 1 ? 'was' : 'were'} refused.`,
  },
  idle: {
    title: 'Are you still there?',
    text: (seconds: number) =>
      `For your safety you will be signed out in ${plural(seconds, 'second', 'seconds')}.`,
    stay: 'Stay signed in',
    leave: 'Sign out now',
  },
  missing: {
    title: 'This page does not exist',
    text: 'The address is not one of this bank, or you are not permitted to see the page.',
    toHome: 'To the start page',
  },
  device: {
    unknown: 'Unknown device',
    started: 'Signed in',
    lastUsed: 'Last used',
    current: 'This device',
  },
}
