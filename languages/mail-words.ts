// What the text of a mail may say, each already in words of its language.

export type MailWords = {
  username: string
  /** A whole address; empty in a mail without a link. */
  link: string
  /** When the link ends. */
  until: string
  /** When it happened. */
  at: string
  /** The last characters of the IBAN of the account that the mail is about. */
  iban: string
  money: string
  /** How many payments of a list. */
  count: string
  /** To whom it went, or from whom it came. */
  way: string
  /** The last digits of a card, and where it was used. */
  card: string
  merchant: string
  /** The due day of a standing order, or from which day on and how often it pays. */
  day: string
  /** Why it was not paid, or by whom it was made: half a sentence. */
  why: string
  /** The member of the account; empty where no member did it. */
  member: string
  /** The people that have signed a draft, beside the one that made it. */
  signers: string
  /** The owner of the account that a member acts on. */
  owner: string
  /** What a member may do, with its limits and its end: behind "may". */
  rights: string
  publicUrl: string
  alertsPerHour: number
}
