// The same work with many more customers, each with four accounts and one session: what the number
// of callers costs. Each crowd has a service of its own.
import type { Settings, Variant } from './harness.ts'
import { warmTokens } from './connection.ts'
import { load, type Templates, warmUpSeconds } from './load.ts'
import { choosePopulations, type Customer } from './seed.ts'
import { openService, type Service } from './service.ts'

/** Part of the pace of the standard population that is to be reached, by the order of crowds. */
const goals = [0.85, 0.75]

/** The number of connections of variants that are measured with one number only. */
export const chooseMiddle = (connections: readonly number[]): number =>
  connections.length === 1 ? (connections[0] as number) : 64

/**
 * Opens only the services of variants that are measured: a hundred thousand customers take a
 * minute.
 */
export async function openCrowds(
  { connections, seconds, variants, profile, isTiny }: Settings,
  name: string,
  toTemplates: (customers: readonly Customer[]) => Templates,
): Promise<{ variants: Variant[]; close(): Promise<void> }> {
  const middle = chooseMiddle(connections)
  const services: Service[] = []
  const opened: Variant[] = []
  for (const [index, population] of choosePopulations(isTiny).entries()) {
    const { customers: count } = population
    const variantName = `${name}, ${count} customers, ${middle} connections`
    if (!variants.test(variantName)) continue
    const service = await openService({ population, profile })
    services.push(service)
    const { target, customers } = service
    const templates = toTemplates(customers)
    await warmTokens(target, customers)
    await load(target, templates, 64, isTiny ? 0.1 : warmUpSeconds)
    opened.push({
      name: variantName,
      main: 'perSecond',
      against: [`${name}, ${middle} connections`],
      goal: { atLeast: goals[index] as number },
      measure: () => service.watch(() => load(target, templates, middle, seconds)),
    })
  }
  return {
    variants: opened,
    async close() {
      for (const service of services) await service.stop()
    },
  }
}
