// The text of a payment's QR code, by the examples of the standard (EPC069-12, version 2.1).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  parseCreditTransfer,
  toCreditTransferText,
  toPayTo,
} from '../src/texts/credit-transfer-text.ts'

const redCross = [
  'BCD',
  '001',
  '1',
  'SCT',
  'BPOTBEB1',
  'Red Cross',
  'BE72000000001616',
  'EUR1',
  'CHAR',
  '',
  'Urgency fund',
  'Sample EPC QR Code',
]

test('what the standard shows is read: name, IBAN, amount and reference, in each notation of lines', () => {
  const asked = {
    name: 'Red Cross',
    iban: 'BE72000000001616',
    amount: '1',
    reference: 'Urgency fund',
  }
  for (const end of ['\n', '\r\n']) {
    assert.deepEqual(parseCreditTransfer(redCross.join(end)), asked)
    assert.deepEqual(parseCreditTransfer(redCross.join(end) + end), asked)
  }
  const short = redCross.slice(0, 7)
  assert.deepEqual(parseCreditTransfer(short.join('\n')), {
    ...asked,
    amount: undefined,
    reference: '',
  })
  const structured = redCross.with(9, 'RF18539007547034').with(10, '')
  assert.equal(parseCreditTransfer(structured.join('\n'))?.reference, 'RF18539007547034')
  const spaced = redCross.with(6, 'be72 0000 0000 1616').with(7, 'EUR999999999.99')
  const { iban, amount } = parseCreditTransfer(spaced.join('\n')) ?? {}
  assert.deepEqual([iban, amount], ['BE72000000001616', '999999999.99'])
})

test('what asks for no payment in euro is left to the field in which it is pasted', () => {
  const wrong: [line: number, text: string][] = [
    [0, 'bcd'],
    [1, '003'],
    [2, '9'],
    [3, 'INST'],
    [5, ''],
    [6, ''],
    [7, 'USD1'],
    [7, 'EUR0.00'],
    [7, 'EUR1.005'],
    [7, 'EUR1000000000'],
    [7, '1'],
  ]
  for (const [line, text] of wrong) {
    const pasted = redCross.with(line, text).join('\n')
    assert.equal(parseCreditTransfer(pasted), undefined, `${line} ${text}`)
  }
  assert.equal(parseCreditTransfer(''), undefined)
  assert.equal(parseCreditTransfer('DE89370400440532013000'), undefined)
})

test('what the page writes is read as it was, and a text above 331 bytes is not written', () => {
  const asked = {
    name: 'Zoë & Söhne',
    iban: 'DE89370400440532013000',
    amount: '64.90',
    reference: 'Invoice 4711',
  }
  const text = toCreditTransferText(asked)
  assert.equal(
    text,
    'BCD\n002\n1\nSCT\n\nZoë & Söhne\nDE89370400440532013000\nEUR64.90\n\n\nInvoice 4711',
  )
  assert.deepEqual(parseCreditTransfer(text), asked)
  const open = { ...asked, amount: undefined, reference: '' }
  assert.deepEqual(parseCreditTransfer(toCreditTransferText(open) ?? ''), open)
  const bytes = (reference: string) => toCreditTransferText({ ...asked, name: 'A', reference })
  const room = 331 - new TextEncoder().encode(bytes('') ?? '').length - 3
  assert.ok(bytes('x'.repeat(room)))
  assert.equal(bytes('x'.repeat(room + 1)), undefined)
  assert.equal(
    toPayTo(asked, 'EUR'),
    'payto://iban/DE89370400440532013000?receiver-name=Zo%C3%AB%20%26%20S%C3%B6hne' +
      '&amount=EUR:64.90&message=Invoice%204711',
  )
  const shortest = 'payto://iban/DE89370400440532013000?receiver-name=Zo%C3%AB%20%26%20S%C3%B6hne'
  assert.equal(toPayTo(open, 'EUR'), shortest)
})
