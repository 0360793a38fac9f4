// What was sent to a webhook in the last thirty days, and what waits. Each can be sent once more.
import { textOfWord } from '../../../../languages/words.ts'
import { Badge, Button, Notice, Section } from '../../parts/basic.tsx'
import { Outcome } from '../../parts/form.tsx'
import { Listed } from '../../parts/list.tsx'
import { Table } from '../../parts/table.tsx'
import { usePages } from '../../calls/call.ts'
import { colon, texts } from '../../texts/language.ts'
import { isAdmin } from '../../calls/session.ts'
import { useListChanges } from '../../calls/submit.ts'
import { Time } from '../../texts/time.tsx'
import type { Webhook, WebhookDelivery } from '../../state/types.ts'

const kinds = { waiting: 'plain', delivered: 'good', failed: 'bad' } as const

function Status({ of }: { of: WebhookDelivery }) {
  const t = texts().webhooks
  const { status, attempts, failure, dueAt } = of
  return (
    <>
      <Badge kind={kinds[status]}>{t.deliveryStatuses[status]}</Badge>
      <span class="note">
        {t.attempts(attempts)}
        {status !== 'delivered' && failure && ` · ${failure}`}
        {dueAt && attempts > 0 && (
          <>
            {' · '}
            {t.next} <Time at={dueAt} />
          </>
        )}
      </span>
    </>
  )
}

export function Deliveries({ of: { id, status } }: { of: Webhook }) {
  const t = texts()
  const nameOf = ({ type, number }: WebhookDelivery) =>
    [textOfWord(t.feed.types, type, type), number].filter((part) => part).join(' · ')
  const path = `/admin/webhooks/${id}`
  const list = usePages<WebhookDelivery>(`${path}/deliveries?limit=50`)
  // Sent once for each press: a repeat of a lost answer could be one more delivery.
  const sending = useListChanges(list)
  const post = (to: string, told: string) =>
    void sending.change({ method: 'POST', path: path + to, isRepeatable: false }, told)
  const maySend = isAdmin() && status === 'active'
  return (
    <Section
      title={t.webhooks.deliveries}
      actions={
        <>
          <Button isBusy={list.isLoading} onClick={list.again}>
            {t.webhooks.reload}
          </Button>
          {maySend && (
            <Button isBusy={sending.isBusy} onClick={() => post('/test', t.webhooks.tested)}>
              {t.webhooks.test}
            </Button>
          )}
        </>
      }
    >
      {sending.told && <Notice kind="good">{sending.told}</Notice>}
      <Outcome of={sending} />
      <Listed of={list} none={t.webhooks.noDeliveries} lines={5}>
        {(deliveries) => (
          <Table
            caption={t.webhooks.deliveriesCaption}
            rows={deliveries}
            keyOf={(delivery) => delivery.id}
            columns={[
              {
                name: t.webhooks.event,
                isRowHeader: true,
                cell: nameOf,
              },
              { name: t.webhooks.at, cell: ({ at }) => <Time at={at} /> },
              { name: t.webhooks.status, cell: (of) => <Status of={of} /> },
              ...(maySend
                ? [
                    {
                      name: t.webhooks.resend,
                      cell: (of: WebhookDelivery) => (
                        <Button
                          label={`${t.webhooks.resend}${colon()}${nameOf(of)}`}
                          isBusy={sending.isBusy}
                          onClick={() => post(`/deliveries/${of.id}/resend`, t.webhooks.resent)}
                        >
                          {t.webhooks.resend}
                        </Button>
                      ),
                      place: 'end' as const,
                    },
                  ]
                : []),
            ]}
          />
        )}
      </Listed>
    </Section>
  )
}
