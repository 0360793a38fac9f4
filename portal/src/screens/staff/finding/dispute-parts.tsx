// Shared by the lists of disputes and of chargebacks: which state is shown, and what is told of the
// payment.
import { UserText } from '../../../parts/accounts.tsx'
import { Field } from '../../../parts/field.tsx'
import { to } from '../../../state/paths.ts'
import { changeQuery, readQuery } from '../../../state/router.ts'
import { texts } from '../../../texts/language.ts'

type State = keyof ReturnType<typeof texts>['disputes']['states']

/** The state that a list shows: the first one until another is chosen. */
export function chosenState<S extends State>(list: string, states: readonly [S, ...S[]]): S {
  const chosen = readQuery().get(list)
  return states.find((state) => state === chosen) ?? states[0]
}

type Props = { list: string; states: readonly State[]; value: State; label: string }

export const StateChoice = ({ list, states, value, label }: Props) => (
  <div class="filters">
    <Field
      name={list}
      label={label}
      value={value}
      onInput={(state) => changeQuery({ [list]: state })}
      options={states.map((state) => [state, texts().disputes.states[state]] as const)}
    />
  </div>
)

export const AccountOf = ({ of: accountId }: { of: string }) => (
  <a href={to('staffAccount', { accountId })}>{texts().disputes.toAccount}</a>
)

export const Shop = ({ of: name }: { of: string | null }) =>
  name === null ? <>{texts().disputes.erased}</> : <UserText>{name}</UserText>
