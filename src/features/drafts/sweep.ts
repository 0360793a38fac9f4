// Ends drafts whose time is over, or whose maker or signer may not any more or had a session or
// signing key that was revoked, and tells these people.
import type { PurgeBatch } from '../../database/background/purge.ts'
import { queueDraftMails } from '../mail/drafts-sql.ts'
import { endDueDrafts } from './sql.ts'

export const sweepDrafts: PurgeBatch = async (db, now) => {
  const ended = await endDueDrafts(db, now)
  for (const { id: draftId, makerId, signedBy } of ended) {
    const people = [...new Set([makerId, ...(signedBy as string[])])]
    await queueDraftMails(db, 'draft-ended', { draftId, people }, now)
  }
  return ended.length > 0
}
