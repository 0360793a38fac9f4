// A bank in a folder, in the form of `strongroom import`, of any size.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { fictitiousBank, toIban } from '../../src/domain/iban.ts'

export type Line = Record<string, unknown>
export type Folder = {
  people: Line[]
  accounts: Line[]
  blocks: Line[]
  balances: Line[]
  beneficiaries: Line[]
  orders: Line[]
  history: Line[]
  totals: Record<string, unknown>
}

const iban = (number: number) => toIban(fictitiousBank, `${number}`.padStart(10, '0')) as string

/** For each two people three accounts, six payees and one standing order. */
export function imported(peopleCount: number, nextOn = '2026-03-31'): Folder {
  const range = (count: number) => Array.from({ length: count }, (_, index) => index)
  const accountCount = Math.floor(peopleCount * 1.5)
  const cents = (index: number) => (index % 10) * 1001 + 5
  const accounts = range(accountCount).map((index) => ({
    sourceId: `a${index}`,
    owner: `p${index % peopleCount}`,
    iban: iban(index),
    currency: 'EUR',
  }))
  const sum = `${accounts.reduce((total, _, index) => total + cents(index), 0)}`.padStart(3, '0')
  return {
    people: range(peopleCount).map((index) => ({
      sourceId: `p${index}`,
      username: `person${index}`,
      email: `person${index}@example.com`,
      givenName: 'Ada',
      familyName: 'Okafor',
      language: index % 2 === 0 ? 'de' : 'en',
    })),
    accounts,
    blocks: [],
    balances: accounts.map(({ sourceId }, index) => ({
      account: sourceId,
      amount: `${Math.floor(cents(index) / 100)}.${`${cents(index) % 100}`.padStart(2, '0')}`,
      currency: 'EUR',
    })),
    beneficiaries: range(peopleCount * 3).map((index) => ({
      sourceId: `b${index}`,
      account: `a${index % peopleCount}`,
      name: 'Stadtwerke',
      iban: toIban({ country: 'DE', prefix: '00880088' }, `${index}`.padStart(10, '0')),
    })),
    orders: range(Math.floor(peopleCount / 2)).map((index) => ({
      sourceId: `o${index}`,
      account: `a${index}`,
      beneficiary: `b${index}`,
      amount: '12.00',
      currency: 'EUR',
      reference: 'Rent',
      rhythm: 'monthly',
      firstOn: '2024-01-31',
      nextOn,
    })),
    history: range(peopleCount).map((index) => ({
      sourceId: `h${index}`,
      account: `a${index}`,
      bookedOn: '2024-02-29',
      amount: index % 2 === 0 ? '-12.00' : '7.50',
      currency: 'EUR',
      counterpartyName: 'Stadtwerke',
      reference: `Former ${index}`,
    })),
    totals: {
      format: 'strongroom-1',
      people: peopleCount,
      accounts: accountCount,
      blocks: 0,
      beneficiaries: peopleCount * 3,
      orders: Math.floor(peopleCount / 2),
      history: peopleCount,
      currencies: {
        EUR: { accounts: accountCount, sum: `${sum.slice(0, -2)}.${sum.slice(-2)}` },
      },
    },
  }
}

export async function writeFolder(folder: string, content: Partial<Folder>): Promise<void> {
  await mkdir(folder, { recursive: true })
  const { totals, ...files } = content
  if (totals) await writeFile(path.join(folder, 'totals.json'), JSON.stringify(totals))
  for (const [name, lines] of Object.entries(files)) {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    await writeFile(path.join(folder, `${name}.ndjson`), text)
  }
}

/** A path in a new folder, removed after the test. */
export async function newPlace(t: Pick<TestContext, 'after'>): Promise<string> {
  const parent = await mkdtemp(path.join(tmpdir(), 'strongroom-import-'))
  t.after(() => rm(parent, { recursive: true, force: true }))
  return path.join(parent, 'bank')
}
