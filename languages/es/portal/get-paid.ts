// The texts in Spanish of what a payer is given.

export const texts = {
  getPaid: {
    title: 'Recibir dinero',
    name: 'Nombre',
    amountIn: (currency: string) => `Importe en ${currency} (opcional)`,
    amountHint: 'Sin él, lo elige quien paga.',
    reference: 'Concepto (opcional)',
    code: 'Código QR del pago',
    codeText: 'Quien paga lo escanea en la aplicación de su banco.',
    link: 'Enlace de pago',
  },
}
