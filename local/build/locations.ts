import type { Contract } from '../../schemas/contract.ts'
import { contracts } from '../../schemas/contracts.ts'
import type { Route } from './serviceFile.ts'

/**
 * The path to read the record that an endpoint creates: that of the GET below its own path with the same answer.
 * Undefined if it creates nothing, or if there is no such GET.
 */
export function locationOf({ name, answers }: Contract, routes: readonly Route[]): string | undefined {
  const collection = routes.find((route) => route.name === name)?.path.replace(/\/batch$/, '')
  const created = answers[201]
  if (!collection || !created) return undefined
  return routes.find(
    (route) =>
      route.method === 'GET' && route.path.startsWith(collection) && contracts[route.name]?.answers[200] === created,
  )?.path
}
