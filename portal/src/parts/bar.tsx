// A bar beside its number, which is its text.
type Props = { value: number; max: number; kind?: 'in' | 'out' }

export const Bar = ({ value, max, kind = 'in' }: Props) => (
  <svg class={`bar bar-${kind}`} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    <rect width={max === 0 ? 0 : (100 * value) / max} height="10" />
  </svg>
)
