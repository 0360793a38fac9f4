// An address that is no page, or none for the roles of who is signed in.
import { ButtonLink, Screen } from '../../parts/basic.tsx'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'

export function Missing() {
  const t = texts().missing
  return (
    <Screen title={t.title}>
      <p>{t.text}</p>
      <ButtonLink href={to('home')} kind="primary">
        {t.toHome}
      </ButtonLink>
    </Screen>
  )
}
