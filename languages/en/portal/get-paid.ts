// The texts in English of what a payer is given.

export const texts = {
  getPaid: {
    title: 'Get paid',
    name: 'Name',
    amountIn: (currency: string) => `Amount in ${currency} (optional)`,
    amountHint: 'Without it the payer chooses.',
    reference: 'Reference (optional)',
    code: 'QR code for the payment',
    codeText: 'The payer scans it in the app of the bank.',
    link: 'Payment link',
  },
}
