// What a payer is told of why a payment came back, by the codes of ISO 20022
// ExternalReturnReason1Code. Staff read each code in its own words.
import type { texts } from '../../../../languages/en/portal/payment-state.ts'
import type { ReasonCode, NoneLeft } from '../../../../languages/words.ts'

type ReturnSentence = keyof typeof texts.paymentState.reasons

/**
 * `refused` for what is not the payer's to know: a suspicion of fraud, the death of the payee. A
 * code that a payment of this bank cannot come back with has none.
 */
const sentences = {
  account: 'AC01 AC03',
  changed: 'AC15',
  closed: 'AC04',
  blocked: 'AC06 AC16 AC17',
  kind: 'AC13 AG01 AG02 NOCM',
  amount: 'AM01 AM02 AM03 AM06 AM09 AM10 CURR',
  duplicate: 'AM05 DUPL',
  name: 'BE01',
  details: 'BE04 BE05 BE06 BE07 MD02 RR01 RR02 RR03',
  bank: 'AC14 CNOR DNOR ED01 RC01 RC07',
  technical: 'BE08 DT01 ED05 ERIN RF01 TECH TM01',
  asked: 'CUST FOCR MD06 SP01 SP02',
  unowed: 'SVNR UPAY',
  law: 'AM07 RR04',
  unsaid: 'MS02 MS03 NOAS',
  refused: 'FR01 MD07',
} as const satisfies Record<ReturnSentence, string>

type Words<T extends string> = T extends `${infer First} ${infer Rest}` ? First | Words<Rest> : T

/** Codes that no payment of this bank comes back with. */
type NeverMet = Words<'AM04 ARDT ED03 EMVL FF05 FRTR MD01 MD05 NARR NOOR PINL RUTA SL01 SL02 TRAC'>

/** A code of the API has a sentence, or is never met. */
export type Unsaid = NoneLeft<
  Exclude<ReasonCode, NeverMet | Words<(typeof sentences)[ReturnSentence]>>
>

/** Undefined for a code that says nothing to a payer. */
export const findReturnSentence = (code: string): ReturnSentence | undefined =>
  (Object.keys(sentences) as ReturnSentence[]).find((name) => sentences[name].includes(code))
