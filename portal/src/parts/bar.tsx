// A bar in a cell of a table, beside its number: the table is its text.
type Props = { value: number; max: number }

export const Bar = ({ value, max }: Props) => (
  <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    <rect width={max === 0 ? 0 : (100 * value) / max} height="10" />
  </svg>
)
