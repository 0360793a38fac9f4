// The texts in English of many postings at once.
import { plural } from '../plural.ts'

export const texts = {
  postings: {
    rows: 'Rows',
    meaning: (most: number) =>
      `One posting a line, up to ${most}, in tabs as a spreadsheet copies them, or as CSV. Each side is an IBAN or identifier of a customer’s account, or the code of an account of the bank, such as fees; one of them is the bank’s. The kind is fee, interest or correction.`,
    numberHint:
      'A row with the same number is booked once. A row without one gets its own for this review.',
    file: 'Take the rows from a file',
    wrong: 'Nothing is booked: these lines have to be mended.',
    line: (line: number, message: string) => `Line ${line}: ${message}`,
    tooMany: (most: number) => `There are more than ${most} rows. Please book them in parts.`,
    looking: (done: number, all: number) => `Looking up account ${done + 1} of ${all} …`,
    faults: {
      cells: (head: string) => `It has other columns than ${head}.`,
      side: (text: string) => `“${text}” is no IBAN, no identifier and no code.`,
      sides: 'One side has to be an account of the bank.',
      same: 'Both sides are the same account.',
      currency: (text: string) => `“${text}” is no currency of the bank.`,
      kind: (kinds: string) => `The kind is none of: ${kinds}.`,
      long: (most: number) => `A text is longer than ${most} letters.`,
      quote: 'A quotation mark has no end.',
      twice: (number: string) => `The number ${number} stands twice.`,
      noBank: (code: string, currency: string) =>
        `The bank has no account “${code}” in ${currency}.`,
      noAccount: (text: string) => `No account has ${text}.`,
    },
    directions: {
      out: 'Taken from customers',
      in: 'Paid to customers',
      between: 'Between accounts of the bank',
    },
    count: (count: number) => plural(count, 'posting', 'postings'),
    from: 'From',
    to: 'To',
    kind: 'Kind',
    number: 'Number',
    outcome: 'Outcome',
    caption: 'Postings by line',
    confirm: (count: number) => `Book ${plural(count, 'posting', 'postings')}`,
    secondPerson:
      'Each posting waits for a second person here. Ask for each: nothing is booked before it is approved.',
    askEach: 'Ask for each',
    asking: (done: number, all: number) => `${done} of ${all} asked for.`,
    result: 'What became of each',
    booked: 'Booked',
    waits: 'Waits for a second person',
    summaryBooked: (count: number) => `${plural(count, 'posting', 'postings')} booked.`,
    summaryWaits: (count: number) =>
      `${plural(count, 'posting waits', 'postings wait')} for a second person.`,
    summaryRefused: (count: number) => `${plural(count, 'posting was', 'postings were')} refused.`,
    takeUp: 'Take up the refused rows',
    another: 'Book others',
  },
}
