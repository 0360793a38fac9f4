// The screens of webhooks and of the feed of events, by the name of their page.
import { Events } from '../../screens/programs/events.tsx'
import { StaffWebhook } from '../../screens/programs/webhook.tsx'
import { WebhookNew, Webhooks } from '../../screens/programs/webhooks.tsx'

export const screens = {
  events: Events,
  staffWebhook: StaffWebhook,
  webhookNew: WebhookNew,
  webhooks: Webhooks,
}
