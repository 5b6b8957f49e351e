import type { Contract } from '../../schemas/contract.ts'
import { contracts } from '../../schemas/contracts.ts'
import type { Route } from './yamlFiles.ts'

/**
 * The path to read the record that an endpoint creates. It is the GET below the endpoint's path with the same answer, or the GET of
 * one record by its id, as the answer to a creation may have a secret. Undefined if it creates nothing, or if there is no such GET.
 */
export function locationOf({ name, answers }: Contract, routes: readonly Route[]): string | undefined {
  const collection = routes.find((route) => route.name === name)?.path.replace(/\/batch$/, '')
  const created = answers[201]
  if (!collection || !created) return undefined
  const reads = ({ name, path }: Route) =>
    contracts[name]?.answers[200] === created || /^\/\{\w+\}$/.test(path.slice(collection.length))
  return routes.find((route) => route.method === 'GET' && route.path.startsWith(collection) && reads(route))?.path
}
