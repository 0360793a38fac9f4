// The schemas of service accounts, and the conversion of rows to them.
import { type Static, Type } from '../../domain/type.ts'
import { rfc3339 } from '../../domain/clock.ts'
import { AccountId, KeyId, ServiceAccountId, UserId, uuidPattern } from '../../domain/ids.ts'
import { Name, named, nullable, oneOf, secretKey, Time } from '../../domain/schema.ts'
import { serviceKeyPrefix } from '../../domain/secret-forms.ts'
import { openOrdersMax } from '../orders/changes-sql.ts'
import { type ServiceAccountRow, statuses } from './sql.ts'

export const accountsMax = 20
const addressesMax = 20

/** Each grant is one that a role has on the same routes; docs/PERMISSIONS.md says which. */
export const Grants = named('ServiceGrants', {
  readAccounts: nullable(
    Type.String({
      pattern: `^(all|${uuidPattern.slice(1, -1)})$`,
      minLength: 3,
      maxLength: 36,
      description: '`all`, or the identifier of the customer whose accounts are read.',
      examples: ['all'],
    }),
  ),
  payFrom: Type.Array(AccountId, {
    maxItems: accountsMax,
    uniqueItems: true,
    description: 'The accounts to pay from.',
  }),
  operations: Type.Array(
    Type.String({
      pattern: '^[A-Za-z]+$',
      minLength: 1,
      maxLength: 80,
      examples: ['settleTransfer'],
    }),
    {
      maxItems: 100,
      uniqueItems: true,
      description: 'Operations of staff, by name.',
    },
  ),
})
export type Grants = Static<typeof Grants>

export const Addresses = Type.Array(
  Type.String({
    pattern: '^[0-9a-fA-F.:/]+$',
    minLength: 2,
    maxLength: 43,
    examples: ['192.0.2.0/24'],
  }),
  {
    maxItems: addressesMax,
    uniqueItems: true,
    description: 'Addresses and CIDR ranges to call from; none: from anywhere.',
  },
)

const LiveKey = named('ServiceAccountKey', {
  id: KeyId,
  createdAt: Time,
  lastUsedAt: nullable(Time),
})

const common = {
  id: ServiceAccountId,
  name: Name,
  status: oneOf(statuses),
  grants: Grants,
  addresses: Addresses,
  expiresAt: nullable(Time),
  keys: Type.Array(LiveKey, {
    maxItems: 2,
    description: 'The live keys. The last use is exact to five minutes.',
  }),
  administrators: Type.Array(UserId, {
    maxItems: 1000,
    description: 'Who made or changed it or was shown a key of it.',
  }),
  createdAt: Time,
}

export const ServiceAccount = named('ServiceAccount', {
  ...common,
  openOrders: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: openOrdersMax,
      description:
        'How many standing orders that it made or changed are open: its end, or that of a key, ' +
        'ends none of them. `GET /api/v1/orders?status=open&orderedBy=` lists them.',
      examples: [0],
    }),
  ),
})

const Key = Type.String({
  title: 'ServiceKey',
  pattern: `^${serviceKeyPrefix}[0-9A-Za-z]{36}$`,
  minLength: 40,
  maxLength: 40,
  description: 'Shown in this answer alone. The last six characters are a checksum.',
  examples: [`${serviceKeyPrefix}${'0'.repeat(36)}`],
  [secretKey]: true,
})

/** A new service account with its first key. */
export const ServiceAccountWithKey = named('ServiceAccountWithKey', { ...common, key: Key })

/** One more key of a service account. */
export const NewKey = named('IssuedServiceKey', { id: KeyId, key: Key, createdAt: Time })

/** Times in JSON that the database made. */
type StoredKey = { id: string; createdAt: string; lastUsedAt: string | null }

const asTime = (text: string): string => rfc3339(Date.parse(text))

export function toServiceAccount(row: ServiceAccountRow): Static<typeof ServiceAccount> {
  const { readsAll, customerId, payFrom, operations, keys, expiresAt, createdAt, ...rest } = row
  return {
    ...rest,
    status: row.status,
    grants: {
      readAccounts: readsAll ? 'all' : customerId,
      payFrom: payFrom as string[],
      operations: operations as string[],
    },
    addresses: row.addresses as string[],
    administrators: row.administrators as string[],
    expiresAt: expiresAt && rfc3339(expiresAt.getTime()),
    keys: (keys as StoredKey[]).map((key) => ({
      id: key.id,
      createdAt: asTime(key.createdAt),
      lastUsedAt: key.lastUsedAt === null ? null : asTime(key.lastUsedAt),
    })),
    createdAt: rfc3339(createdAt.getTime()),
  }
}
