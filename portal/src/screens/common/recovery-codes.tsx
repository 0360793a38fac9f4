// Recovery codes, shown the one time that the bank knows them.
import { Button, Copyable, Notice, Screen } from '../../parts/basic.tsx'
import { texts } from '../../texts/language.ts'

export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const t = texts().factors
  const text = codes.join('\n')
  return (
    <Screen title={t.codesTitle}>
      <section class="card">
        <p>{t.codesWhat}</p>
        <div class="codes">
          <Copyable text={text} name={t.codesTitle} />
        </div>
        <Notice kind="warning">{t.codesOnce}</Notice>
        <div class="actions">
          <Button kind="primary" onClick={onDone}>
            {t.codesKept}
          </Button>
          <Button onClick={() => print()}>{texts().common.print}</Button>
        </div>
      </section>
    </Screen>
  )
}
