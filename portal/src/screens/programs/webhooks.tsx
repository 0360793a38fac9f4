// The webhooks of the bank, newest first, and the making of one.
import { useState } from 'preact/hooks'
import { UserText } from '../../parts/accounts.tsx'
import { Badge, ButtonLink, Screen } from '../../parts/basic.tsx'
import { errorsOf, Form, FormActions, useErrors, useTyped } from '../../parts/form.tsx'
import { Listed } from '../../parts/list.tsx'
import { Table } from '../../parts/table.tsx'
import { usePages } from '../../calls/call.ts'
import { texts } from '../../texts/language.ts'
import { to } from '../../state/paths.ts'
import { navigate } from '../../state/router.ts'
import { isAdmin } from '../../calls/session.ts'
import { useSubmit } from '../../calls/submit.ts'
import { Time } from '../../texts/time.tsx'
import type { Webhook, WebhookWithSecret } from '../../state/types.ts'
import { ProgramsScreen } from './programs-screen.tsx'
import { ShownOnce } from './shown-once.tsx'
import { findWrong, TargetFields, toTarget, unfitTarget } from './webhook-fields.tsx'

/** A disabled one says by whom, or because of what. */
export function WebhookStatus({ of }: { of: Pick<Webhook, 'status' | 'disabledBecause'> }) {
  const t = texts()
  if (of.status === 'active') return <Badge kind="good">{t.programs.statuses.active}</Badge>
  const { disabledBecause: why } = of
  return (
    <Badge kind="warning">{why ? t.webhooks.disabled[why] : t.programs.statuses.disabled}</Badge>
  )
}

export function Webhooks() {
  const t = texts().webhooks
  const list = usePages<Webhook>('/admin/webhooks?limit=50')
  return (
    <ProgramsScreen
      of="webhooks"
      actions={
        isAdmin() && (
          <ButtonLink href={to('webhookNew')} kind="primary">
            {t.create}
          </ButtonLink>
        )
      }
    >
      <section class="card">
        <p class="quiet">{t.meaning}</p>
        <Listed of={list} none={t.none} lines={6}>
          {(webhooks) => (
            <Table
              caption={t.caption}
              rows={webhooks}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: t.url,
                  isRowHeader: true,
                  cell: ({ id, url }) => (
                    <a class="code" href={to('staffWebhook', { webhookId: id })}>
                      {url}
                    </a>
                  ),
                },
                { name: t.status, cell: (of) => <WebhookStatus of={of} />, place: 'end' },
                {
                  name: t.description,
                  cell: ({ description }) => <UserText>{description}</UserText>,
                },
                { name: t.typeCount, isNumber: true, cell: ({ types }) => String(types.length) },
                { name: t.since, cell: ({ createdAt }) => <Time at={createdAt} style="date" /> },
              ]}
            />
          )}
        </Listed>
      </section>
    </ProgramsScreen>
  )
}

export function WebhookNew() {
  const t = texts()
  const [target, change] = useTyped({ url: 'https://', description: '', types: [] as string[] })
  const [own, accept] = useErrors()
  const [made, setMade] = useState<WebhookWithSecret>()
  const creating = useSubmit<WebhookWithSecret>()
  const errors = errorsOf(creating, own, unfitTarget())
  async function submit(): Promise<void> {
    if (!accept(findWrong(target))) return
    const body = toTarget(target)
    const path = '/admin/webhooks'
    const done = await creating.submit({ method: 'POST', path, body, isRepeatable: false })
    if (!done) return
    setMade(done.result)
    creating.reset()
  }
  if (made) {
    const toWebhook = to('staffWebhook', { webhookId: made.id })
    return (
      <Screen title={t.webhooks.created}>
        <ShownOnce
          title={t.webhooks.secret}
          name={t.webhooks.secret}
          secret={made.secret}
          text={t.webhooks.secretMeaning}
          onClose={() => navigate(toWebhook, { replace: true })}
        />
      </Screen>
    )
  }
  return (
    <Screen title={t.webhooks.create}>
      <div class="card narrow">
        <Form errors={errors} of={creating} onSubmit={() => void submit()}>
          <TargetFields value={target} onChange={change} errors={errors} />
          <FormActions label={t.webhooks.create} isBusy={creating.isBusy} cancel={to('webhooks')} />
        </Form>
      </div>
    </Screen>
  )
}
