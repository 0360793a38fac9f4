// The texts in French of what a payer is given.

export const texts = {
  getPaid: {
    title: 'Recevoir de l’argent',
    name: 'Nom',
    amountIn: (currency: string) => `Montant en ${currency} (facultatif)`,
    amountHint: 'Sans lui, le payeur choisit.',
    reference: 'Motif (facultatif)',
    code: 'Code QR du paiement',
    codeText: 'Le payeur le scanne dans l’application de sa banque.',
    link: 'Lien de paiement',
  },
}
