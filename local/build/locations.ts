import type { Contract } from '../../schemas/contract.ts'
import { contracts } from '../../schemas/contracts.ts'
import type { Route } from './serviceFile.ts'

/**
 * Where what an endpoint creates can be read: the path of the GET that answers the same record below the path where it is
 * created. Undefined where nothing is created, or where there is no such GET.
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
