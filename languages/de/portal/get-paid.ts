// The texts in German of what a payer is given.

export const texts = {
  getPaid: {
    title: 'Geld empfangen',
    name: 'Name',
    amountIn: (currency: string) => `Betrag in ${currency} (freiwillig)`,
    amountHint: 'Ohne ihn wählt der Zahler.',
    reference: 'Verwendungszweck (freiwillig)',
    code: 'QR-Code für die Zahlung',
    codeText: 'Der Zahler scannt ihn in der App seiner Bank.',
    link: 'Zahlungslink',
  },
}
