// Language, time zone, appearance and shortcuts, kept in this browser.
import { Screen } from '../../parts/basic.tsx'
import { Check, Field } from '../../parts/form.tsx'
import { loadTexts, texts } from '../../language.ts'
import { changePreferences, type Preferences, preferences } from '../../preferences.ts'

const zones = Intl.supportedValuesOf('timeZone')

export function PreferencesScreen() {
  const t = texts().preferences
  const { language, timeZone, theme, shortcuts } = preferences.value
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <Screen title={t.title}>
      <div class="card narrow">
        <Field
          name="language"
          label={t.language}
          value={language}
          onInput={(value) => {
            changePreferences({ language: value as Preferences['language'] })
            void loadTexts()
          }}
          options={[
            ['auto', t.auto],
            ['en', 'English'],
            ['de', 'Deutsch'],
          ]}
        />
        <Field
          name="timeZone"
          label={t.timeZone}
          value={timeZone}
          onInput={(value) => changePreferences({ timeZone: value })}
          options={[
            ['auto', `${t.auto} (${own})`],
            ['UTC', 'UTC'],
            ...zones.map((zone) => [zone, zone.replaceAll('_', ' ')] as const),
          ]}
        />
        <Field
          name="theme"
          label={t.theme}
          value={theme}
          onInput={(value) => changePreferences({ theme: value as Preferences['theme'] })}
          options={[
            ['auto', t.auto],
            ['light', t.light],
            ['dark', t.dark],
            ['contrast', t.contrast],
          ]}
        />
        <Check
          label={t.shortcuts}
          checked={shortcuts}
          onChange={(checked) => changePreferences({ shortcuts: checked })}
        />
        <p class="quiet">{t.note}</p>
      </div>
    </Screen>
  )
}
