// Language, time zone, appearance and shortcuts, kept in this browser.
import { Screen } from '../../parts/basic.tsx'
import { Check, Field } from '../../parts/field.tsx'
import { bindFields } from '../../parts/form.tsx'
import { languages } from '../../../../src/domain/languages.ts'
import { loadTexts, texts } from '../../texts/language.ts'
import { tellLanguage } from '../../calls/sign-in.ts'
import { changePreferences, preferences } from '../../state/preferences.ts'

const zones = Intl.supportedValuesOf('timeZone')

export function PreferencesScreen() {
  const t = texts().preferences
  const field = bindFields(preferences.value, (part) => {
    changePreferences(part)
    void loadTexts()
    if (part.language !== undefined) void tellLanguage()
  })
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const auto = ['auto', t.auto] as const
  return (
    <Screen title={t.title}>
      <div class="card narrow">
        <Field
          {...field('language')}
          label={t.language}
          options={[auto, ...Object.entries(languages)]}
        />
        <Field
          {...field('timeZone')}
          label={t.timeZone}
          options={[
            ['auto', `${t.auto} (${own})`],
            ['UTC', 'UTC'],
            ...zones.map((zone) => [zone, zone.replaceAll('_', ' ')] as const),
          ]}
        />
        <Field
          {...field('theme')}
          label={t.theme}
          options={[auto, ['light', t.light], ['dark', t.dark], ['contrast', t.contrast]]}
        />
        <Check
          label={t.shortcuts}
          checked={preferences.value.shortcuts}
          onChange={(shortcuts) => changePreferences({ shortcuts })}
        />
        <p class="quiet">{t.note}</p>
      </div>
    </Screen>
  )
}
