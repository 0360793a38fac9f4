// What an account sees of the other side of its entry, as it was when the entry was booked: it is
// written with the entry, and the hash of the entry holds it. The function entry_texts() of the
// database has the same rule, for entries of versions that wrote no texts.
import { isBack, type Kind, type Texts } from './movement.ts'

/** An account as an entry names it. */
type Side = { kind: string; holder: string | null; iban: string | null }

/**
 * The texts of both entries of a transfer. The payer sees a payee that is a beneficiary under the
 * name that the payer gave, also when the money comes back: an IBAN does not tell who holds it. The
 * payee sees the holder of the payer's account, and of money from another bank the payer that came
 * with it. An account of the bank sees no names.
 */
export function toEntryTexts(
  { kind, reference, counterpartyName, counterpartyIban }: Texts & { kind: Kind },
  { from, to }: { from: Side; to: Side },
): { fromTexts: Texts; toTexts: Texts } {
  const [payer, payee] = isBack(kind) ? [to, from] : [from, to]
  const seenBy = (viewer: Side, name: string | null, iban: string | null): Texts =>
    viewer.kind === 'customer'
      ? { reference, counterpartyName: name, counterpartyIban: iban }
      : { reference, counterpartyName: null, counterpartyIban: null }
  const payers = seenBy(payer, counterpartyName ?? payee.holder, counterpartyIban ?? payee.iban)
  const payees =
    payer.kind === 'customer'
      ? seenBy(payee, payer.holder, payer.iban)
      : seenBy(payee, counterpartyName, counterpartyIban)
  return payer === from
    ? { fromTexts: payers, toTexts: payees }
    : { fromTexts: payees, toTexts: payers }
}
