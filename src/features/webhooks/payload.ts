// What a webhook says: identifiers alone. Who may see what they name reads it from the API.

export type Payload = {
  type: string
  /** RFC 3339. */
  timestamp: string
  data: {
    /** The number of the event; null for a test. */
    number: string | null
    resourceId: string | null
    accountIds: readonly (string | null)[]
  }
}

export const toBody = (payload: Payload): string => JSON.stringify(payload)
