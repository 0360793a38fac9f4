// A person's own record, as the bank has it. The bank changes it, not the person.
import { nameOf, UserText } from '../../parts/accounts.tsx'
import { ButtonLink, Facts, Loaded, Screen } from '../../parts/basic.tsx'
import { useRead } from '../../calls/call.ts'
import { me as person } from '../../calls/session.ts'
import { Later } from '../../parts/later.tsx'
import { loadTexts, texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { Time } from '../../texts/time.tsx'
import type { Me } from '../../state/types.ts'

async function loadMails() {
  const [{ OwnMails }] = await Promise.all([import('./notices.tsx'), loadTexts('notices')])
  return OwnMails
}

export function Profile() {
  const t = texts()
  const read = useRead<Me>('/me')
  return (
    <Screen title={t.profile.title}>
      <div class="card narrow">
        <Loaded of={read} lines={6}>
          {(me) => (
            <Facts
              rows={[
                [t.profile.name, <UserText>{nameOf(me)}</UserText>],
                [t.profile.username, me.username],
                [t.profile.email, <span class="code">{me.email}</span>],
                [t.profile.phone, me.phone ?? t.common.none],
                [t.profile.address, me.address ? <UserText>{me.address}</UserText> : t.common.none],
                [t.profile.roles, me.roles.map((role) => t.profile.roleNames[role]).join(', ')],
                [t.profile.since, <Time at={me.createdAt} style="date" />],
              ]}
            />
          )}
        </Loaded>
        <p class="quiet">{t.profile.note}</p>
        <div class="actions">
          <ButtonLink href={to('security')}>{t.nav.security}</ButtonLink>
          <ButtonLink href={to('preferences')}>{t.nav.preferences}</ButtonLink>
          <ButtonLink href={to('help')}>{t.signIn.help}</ButtonLink>
        </div>
      </div>
      {person.value?.roles.includes('customer') && <Later load={loadMails} with={{}} />}
    </Screen>
  )
}
