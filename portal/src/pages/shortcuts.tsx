// What the keys of the keyboard do, shown when it is asked for.
import { isCustomer } from '../calls/session.ts'
import { Details } from '../parts/dialog.tsx'
import { texts } from '../texts/language.ts'

export function Shortcuts({ onClose }: { onClose: () => void }) {
  const t = texts()
  const keys: [string, string][] = [
    ['/', t.shortcuts.search],
    ['g a', t.shortcuts.home],
    ...(isCustomer() ? ([['n', t.shortcuts.transfer]] as [string, string][]) : []),
    ['?', t.shortcuts.help],
  ]
  return (
    <Details title={t.shortcuts.title} onClose={onClose}>
      <dl class="facts">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">{t.shortcuts.off}</p>
    </Details>
  )
}
