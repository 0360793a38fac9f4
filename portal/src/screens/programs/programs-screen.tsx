// The frame of the three lists that concern programs: each is a page, and leads to the others.
import type { ComponentChildren } from 'preact'
import { Screen } from '../../parts/basic.tsx'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'

const lists = ['programs', 'webhooks', 'events'] as const

type Props = {
  of: (typeof lists)[number]
  actions?: ComponentChildren
  children: ComponentChildren
}

export function ProgramsScreen({ of, actions, children }: Props) {
  const t = texts().programs
  return (
    <Screen title={t.lists[of]} actions={actions}>
      <nav class="parts" aria-label={t.nav}>
        {lists.map((name) => (
          <a key={name} href={to(name)} aria-current={name === of ? 'page' : undefined}>
            {t.lists[name]}
          </a>
        ))}
      </nav>
      {children}
    </Screen>
  )
}
