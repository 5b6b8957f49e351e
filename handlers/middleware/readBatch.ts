import { errorOf } from '../../domain/base/errors.ts'
import { normalized } from '../../domain/request/bodies.ts'
import type { BatchItem } from '../../domain/request/context.ts'
import { type Compiled, foundFaults, type Validator, valueAt } from '../../domain/request/faults.ts'
import type { CompiledContract } from '../../schemas/contract.ts'
import type { Event } from './call.ts'
import { sentJson, type UnusableBody } from './readBody.ts'

/** The JSON body of a batch. Its contract accepts any items: each is validated by itself, once the rest of the request is valid. */
export function readBatch(
  event: Event,
  { contract, item }: Compiled,
): { value: unknown; input: () => { items: BatchItem<unknown>[] } } | UnusableBody {
  const body = sentJson(event, contract)
  return 'value' in body
    ? { ...body, input: () => ({ items: itemsOf(body.value, contract, item as Validator) }) }
    : body
}

/** Validates each item of a batch separately. Faults name the same properties as in the single call. */
function itemsOf(body: unknown, contract: CompiledContract, validator: Validator): BatchItem<unknown>[] {
  return (body as { items: unknown[] }).items.map((one) => {
    const item = normalizedItem(one, contract)
    const id = idOf(item, contract.itemId)
    validator(item)
    // A fault within `body` names the property as in a single call, any other one within the item.
    const errors = (validator.errors ?? []).map((error) => ({
      ...error,
      instancePath: error.instancePath.startsWith('/body') ? error.instancePath : `/item${error.instancePath}`,
    }))
    const whole = { item, body: (item as { body?: unknown } | null)?.body }
    const fault = errorOf(foundFaults(errors, whole, contract.faultCodes))
    return fault ? { id, fault, body: whole.body } : { id, value: item }
  })
}

function normalizedItem(item: unknown, contract: CompiledContract): unknown {
  if (typeof item !== 'object' || item === null || !('body' in item)) return item
  return { ...item, body: normalized(item.body, contract) }
}

/** An item's id for the answer; null if it cannot be read. */
function idOf(item: unknown, parts: CompiledContract['itemId']): BatchItem<unknown>['id'] {
  if (!parts) return textAt(item, ['id'])
  const entries = Object.entries(parts).map(([name, path]) => [name, textAt(item, path)] as const)
  return entries.every(([, text]) => text === null) ? null : Object.fromEntries(entries)
}

function textAt(item: unknown, path: readonly string[]): string | null {
  const value = valueAt(item, path)
  return typeof value === 'string' ? value : null
}
