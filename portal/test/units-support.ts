// Modules of the page that need no browser, for tests of their functions.
import { bundled } from './bundled-support.ts'

/** As far as it is used here: the page's own types need those of a browser. */
type Units = {
  Failure: new (code?: string, response?: Response) => Error & { code: string; status: number }
  RunEnded: new () => Error
  send(sent: { method: string; path: string }): Promise<unknown>
  readOnce(path: string, signal: AbortSignal): Promise<unknown>
  sendUntilKnown(change: object, onLost: () => void, signal?: AbortSignal): Promise<unknown>
  toEndState(failure: Error, wasLost: boolean): 'unknown' | 'refused'
  /** What the shell shows of a confirmation that is asked for. */
  askedConfirmation: { value: { settle(challengeId?: string): void } | undefined }
  pauseFor(seconds: number, signal?: AbortSignal): Promise<void>
  amountError(typed: string, currency: string): string
  parseTyped(typed: string, currency: string, least?: 'zero'): string | undefined
  toTyped(amount: string, currency: string): string
  loadTexts(...names: string[]): Promise<void>
  toPlain(typed: string): string
  toIban(typed: string): string
  findUnfitSign(text: string, fit: RegExp): string | undefined
  textSigns: RegExp
  searchSigns: RegExp
  ibanSigns: RegExp
  formatMoney(amount: string, currency: string, sign?: 'exceptZero'): string
  formatCount(count: number): string
  sum(amounts: readonly string[], currency: string): string
  negate(amount: string): string
  changePreferences(change: { timeZone: string }): void
  dayStart(day: string, days?: number): string
  endPayment(
    payment: { id: string },
    verb: 'settle' | 'return',
    options: { tell: (outcome: { state: string }) => void },
  ): Promise<{ state: string; status?: string }>
  moveMany(
    payments: readonly { id: string }[],
    verb: 'send' | 'settle',
    options: { tell: (id: string, outcome: { state: string }) => void; signal: AbortSignal },
  ): Promise<boolean>
  checkRows(
    rows: readonly object[],
    tell: (done: number, all: number) => void,
    signal: AbortSignal,
  ): Promise<{ items?: object[]; checked?: object; faults?: { line: number; message: string }[] }>
  groupAmounts(items: readonly object[]): object[]
  toRows(items: readonly object[], ibans: Record<string, string>): string
  shopKindOf(category: string | null): string
  isIban(text: string): boolean
  toLines(text: string, separator: string): string[][] | undefined
  readListFile(file: Blob): Promise<{
    body?: Blob
    items?: Record<string, string>[]
    lines?: number[]
    faults?: { line: number; what: string }[]
  }>
  findPerson(typed: string): Promise<string | undefined>
  toLooks(typed: string): Record<string, string>[]
  formatAgo(at: string): string
  passwordError(password: string, username?: string): string | undefined
  shortMonth(month: string): string
  toTarget(chosen: string): object
  isBanks(accountId: string | undefined): boolean
  bankCode(accountId: string): string | undefined
  describeRights(granted: object): string
  readRows(
    text: string,
    series: string,
  ): {
    rows: { line: number; from: string; to: string; item: Record<string, string> }[]
    faults: { line: number; message: string }[]
  }
}

const scripts = `export const loadScript = (name) => {
  const [file, language] = name.split('-')
  const kebab = file.replace(/[A-Z]/g, (sign) => '-' + sign.toLowerCase())
  return import(\`../../../languages/\${language}/portal/\${kebab}.ts\`)
}`

async function loadUnits(): Promise<Units> {
  const channel = class {
    postMessage() {}
  }
  const document = { documentElement: { dataset: {} } }
  const browser = {
    document,
    BroadcastChannel: channel,
    location: { pathname: '/portal/', search: '' },
    history: { state: null },
    sessionStorage: { getItem: () => null },
  }
  Object.assign(globalThis, browser)
  const modules = [
    'calls/call.ts',
    'calls/confirming.ts',
    'calls/submit.ts',
    'screens/customer/insight/shop-kinds.ts',
    'screens/customer/members/member-words.ts',
    'screens/customer/transfer-body.ts',
    'screens/lists/list-file.ts',
    'screens/staff/finding/find-person.ts',
    'screens/staff/postings/posting-rows.ts',
    'screens/staff/settle.ts',
    'screens/staff/transfer-side.ts',
    'state/failure.ts',
    'state/preferences.ts',
    'texts/ago.ts',
    'texts/language.ts',
    'texts/money.tsx',
    'texts/password.ts',
    'texts/payment-look.ts',
    'texts/short-month.ts',
    'texts/time.tsx',
    'texts/typed-text.ts',
  ]
  const script = await bundled({ modules, scripts, format: 'esm' })
  const code = Buffer.from(script).toString('base64')
  return (await import(`data:text/javascript;base64,${code}`)) as Units
}

export const units = await loadUnits()

export function speak(language: string): void {
  Object.defineProperty(globalThis, 'navigator', {
    value: { languages: [language] },
    configurable: true,
  })
}
