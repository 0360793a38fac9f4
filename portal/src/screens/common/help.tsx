// What to do when something is wrong, and how the bank is reached. Everybody sees it, signed in or
// not: who cannot sign in needs it most.
import { ButtonLink, Facts, Screen } from '../../parts/basic.tsx'
import { phase } from '../../calls/session.ts'
import { bankAddress, bankName, bankPhone } from '../../state/bank.ts'
import { to } from '../../state/paths.ts'
import { texts } from '../../texts/language.ts'

export function Help() {
  const t = texts()
  const { help } = t
  const isIn = phase.value === 'in'
  return (
    <Screen title={help.title}>
      <section class="card narrow">
        <h2>{bankName}</h2>
        {bankPhone || bankAddress ? (
          <Facts
            rows={[
              [help.phone, bankPhone && <a href={`tel:${toDial(bankPhone)}`}>{bankPhone}</a>],
              [help.address, bankAddress],
            ]}
          />
        ) : (
          <p>{help.noContact}</p>
        )}
        <p class="quiet">{help.never}</p>
      </section>
      {help.cases.map(({ title, text }) => (
        <section key={title} class="card narrow">
          <h2>{title}</h2>
          <p>{text}</p>
        </section>
      ))}
      <div class="actions">
        {!isIn && <ButtonLink href={to('forgot')}>{t.signIn.forgot}</ButtonLink>}
        <ButtonLink href={to('home')}>{isIn ? t.common.back : t.forgot.toSignIn}</ButtonLink>
      </div>
    </Screen>
  )
}

/** The digits that a phone dials (RFC 3966). */
const toDial = (shown: string): string => shown.replace(/[^+\d]/g, '')
