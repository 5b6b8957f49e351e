import type { PropertyOrder } from '../../schemas/contract.ts'

/**
 * An answer with its properties in the order of its schema, at every depth: the database keeps maps in any order, so equal answers
 * would differ. What the schema leaves open stays as it is, after what it names.
 */
export function inOrder(order: PropertyOrder | undefined, value: unknown): unknown {
  if (order === undefined || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => inOrder(order, one))
  const members = value as Readonly<Record<string, unknown>>
  const ordered: Record<string, unknown> = {}
  for (const name of Object.keys(order))
    if (members[name] !== undefined) ordered[name] = inOrder(order[name] || undefined, members[name])
  for (const name of Object.keys(members)) if (!(name in order)) ordered[name] = members[name]
  return ordered
}
