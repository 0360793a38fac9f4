// A text as a QR code (ISO/IEC 18004), drawn as one path.
import { encode } from 'uqr'

/** Four modules of quiet zone around it, as the standard asks for. */
const border = 4

export function QrCode({ text, title }: { text: string; title: string }) {
  const { data, size } = encode(text, { ecc: 'M', border })
  const dark = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  )
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={title}>
      <path class="paper" d={`M0 0h${size}v${size}h-${size}z`} />
      <path d={dark.join('')} />
    </svg>
  )
}
