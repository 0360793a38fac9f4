// Kinds of shops as people name them, by the merchant category codes of ISO 18245.

type Range = readonly [first: number, last: number]

/** A code that is in none is of other shops. */
const ranges = {
  groceries: [
    [5300, 5300],
    [5411, 5499],
  ],
  eating: [[5811, 5814]],
  home: [
    [5021, 5021],
    [5200, 5261],
    [5712, 5722],
  ],
  clothes: [
    [5137, 5139],
    [5611, 5699],
    [5931, 5931],
    [5948, 5948],
  ],
  health: [
    [5122, 5122],
    [5912, 5912],
    [5975, 5977],
    [7230, 7230],
    [7297, 7298],
    [8011, 8099],
  ],
  transport: [
    [4011, 4011],
    [4111, 4131],
    [4784, 4789],
  ],
  car: [
    [5511, 5599],
    [7523, 7549],
  ],
  travel: [
    [3000, 3999],
    [4411, 4411],
    [4511, 4582],
    [4722, 4723],
    [7011, 7033],
    [7512, 7519],
  ],
  leisure: [
    [5815, 5818],
    [5940, 5947],
    [7829, 7999],
  ],
  devices: [
    [4812, 4816],
    [5045, 5045],
    [5732, 5735],
  ],
  services: [
    [4899, 4900],
    [5960, 5960],
    [6300, 6300],
  ],
  learning: [[8211, 8299]],
  cash: [[6010, 6051]],
} as const satisfies Record<string, readonly Range[]>

export type ShopKind = keyof typeof ranges | 'otherShops' | 'erased'

/** @param category null once it is erased */
export function shopKindOf(category: string | null): ShopKind {
  if (category === null) return 'erased'
  const code = Number(category)
  const found = (Object.entries(ranges) as [keyof typeof ranges, readonly Range[]][]).find(
    ([, all]) => all.some(([first, last]) => code >= first && code <= last),
  )
  return found?.[0] ?? 'otherShops'
}
