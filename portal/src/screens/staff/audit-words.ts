// What the detail of an audit event consists of, by the operation of the event.

/** Of reads the names of their parameters, of partial changes those of the changed fields. */
export const listsNames = (action: string): boolean =>
  /^(get|list|find|inspect|update)/.test(action)

/** The operation that is confirmed or waits for approval. */
export const beginsWithOperation = (action: string): boolean =>
  ['confirm', 'requestApproval', 'useConfirmation'].includes(action)

/** Parameters that only turn pages: they say nothing about what was read. */
export const isPaging = (name: string): boolean =>
  ['after', 'cursor', 'limit', 'wait'].includes(name)

/** What the service writes of these is words of its own, never a person's. */
export const isByService = (action: string): boolean =>
  /^(login|loginToPortal|complete(Portal)?Login|refresh|activateFactor|erase|disableWebhook)$/.test(
    action,
  )
