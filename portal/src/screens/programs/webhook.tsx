// One webhook: its target, its deliveries, and for administrators its changes.
import { textOfWord } from '../../../../languages/words.ts'
import { useState } from 'preact/hooks'
import { UserText } from '../../parts/accounts.tsx'
import { Button, Copyable, Facts, Loaded, Notice, Screen, Section } from '../../parts/basic.tsx'
import { Question } from '../../parts/dialog.tsx'
import { errorsOf, Form, Outcome, useErrors, useTyped } from '../../parts/form.tsx'
import { Menu } from '../../parts/menu.tsx'
import { useRead } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { navigate } from '../../state/router.ts'
import { isAdmin } from '../../calls/session.ts'
import { useSubmit } from '../../calls/submit.ts'
import { Time } from '../../texts/time.tsx'
import type { Webhook, WebhookWithSecret } from '../../state/types.ts'
import { Deliveries } from './deliveries.tsx'
import { ShownOnce } from './shown-once.tsx'
import { findWrong, TargetFields, toTarget, unfitTarget } from './webhook-fields.tsx'
import { WebhookStatus } from './webhooks.tsx'

type Props = { of: Webhook; again: () => void }

function About({ of }: Pick<Props, 'of'>) {
  const t = texts()
  const { id, url, description, types, publicKey, previousKeysEndAt, createdAt } = of
  return (
    <Section title={t.programs.about}>
      <Facts
        rows={[
          [t.webhooks.url, <span class="code">{url}</span>],
          [t.webhooks.description, description && <UserText>{description}</UserText>],
          [t.webhooks.status, <WebhookStatus of={of} />],
          [
            t.webhooks.types,
            <ul>
              {types.map((type) => (
                <li key={type}>{textOfWord(t.feed.types, type, type)}</li>
              ))}
            </ul>,
          ],
          [t.webhooks.publicKey, <Copyable text={publicKey} name={t.webhooks.publicKey} />],
          [t.webhooks.oldKeys, previousKeysEndAt && <Time at={previousKeysEndAt} />],
          [t.webhooks.since, <Time at={createdAt} style="date" />],
          [t.programs.id, <Copyable text={id} name={t.programs.id} />],
          [
            t.programs.trail,
            isAdmin() ? (
              <a href={`${to('audit')}?target=${id}`}>{t.programs.showTrail}</a>
            ) : undefined,
          ],
        ]}
      />
    </Section>
  )
}

function Change({ of, again }: Props) {
  const t = texts()
  const [target, change] = useTyped({ ...of, types: [...of.types] as string[] })
  const [own, accept] = useErrors()
  const saving = useSubmit<Webhook>()
  const errors = errorsOf(saving, own, unfitTarget())
  async function submit(): Promise<void> {
    if (!accept(findWrong(target))) return
    const body = toTarget(target)
    const path = `/admin/webhooks/${of.id}`
    if (await saving.submit({ method: 'PATCH', path, body, isRepeatable: true })) again()
  }
  return (
    <Section title={t.webhooks.change}>
      {saving.state === 'done' && <Notice kind="good">{t.programs.saved}</Notice>}
      <Form errors={errors} of={saving} onSubmit={() => void submit()}>
        <TargetFields value={target} onChange={change} errors={errors} />
        <Button kind="primary" type="submit" isBusy={saving.isBusy}>
          {t.common.save}
        </Button>
      </Form>
    </Section>
  )
}

type Verb = 'switch' | 'renew' | 'remove'

/** What is rarely done with it. Each is asked about first. */
function Actions({ of, again, onSecret }: Props & { onSecret: (secret: string) => void }) {
  const t = texts().webhooks
  const [asked, setAsked] = useState<Verb>()
  const sending = useSubmit<WebhookWithSecret>()
  const isActive = of.status === 'active'
  const path = `/admin/webhooks/${of.id}`
  const words = { switch: t.switches[of.status], renew: t.renew, remove: t.remove }
  async function send(verb: Verb): Promise<void> {
    setAsked(undefined)
    const change = {
      switch: {
        method: 'PATCH',
        path,
        body: { status: isActive ? 'disabled' : 'active' },
        isRepeatable: true,
      },
      renew: { method: 'POST', path: `${path}/secret`, isRepeatable: false },
      remove: { method: 'DELETE', path, isRepeatable: true },
    } as const
    const done = await sending.submit(change[verb])
    if (!done) return
    sending.reset()
    if (verb === 'remove') return navigate(to('webhooks'), { replace: true })
    if (verb === 'renew') onSecret(done.result.secret)
    again()
  }
  const word = asked && words[asked]
  return (
    <>
      <Outcome of={sending} />
      <Menu>
        {(Object.keys(words) as Verb[]).map((verb) => (
          <Button key={verb} onClick={() => setAsked(verb)}>
            {words[verb].ask}
          </Button>
        ))}
      </Menu>
      {asked && word && (
        <Question
          title={word.ask}
          confirm={word.ask}
          onConfirm={() => void send(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>{word.text}</p>
        </Question>
      )}
    </>
  )
}

export function StaffWebhook({ parameters }: { parameters: Record<string, string> }) {
  const t = texts().webhooks
  const [secret, setSecret] = useState<string>()
  const read = useRead<Webhook>(`/admin/webhooks/${parameters['webhookId']}`)
  return (
    <Screen
      title={read.data?.description || t.one}
      actions={
        isAdmin() && read.data && <Actions of={read.data} again={read.again} onSecret={setSecret} />
      }
    >
      {secret && (
        <ShownOnce
          title={t.secret}
          name={t.secret}
          secret={secret}
          text={t.secretMeaning}
          onClose={() => setSecret(undefined)}
        />
      )}
      <Loaded of={read} lines={8}>
        {(of) => (
          <>
            <Deliveries of={of} />
            <About of={of} />
            {isAdmin() && (
              <details class="fold">
                <summary>{t.change}</summary>
                <Change of={of} again={read.again} />
              </details>
            )}
          </>
        )}
      </Loaded>
    </Screen>
  )
}
