import { attributeKey } from '../store/keys.ts'
import type { Store } from '../store/store.ts'
import { type AttributeDefinition, checkAttributes, type GivenAttribute } from './attributeRules.ts'

/** Judges a user's attributes against the definitions as they are now; see checkAttributes for what it throws. */
export async function checkAgainstDefinitions(
  store: Pick<Store, 'get'>,
  attributes: readonly (GivenAttribute | undefined)[],
): Promise<void> {
  const names = [...new Set(attributes.flatMap((given) => given?.name ?? []))]
  const items = await Promise.all(names.map((name) => store.get(attributeKey(name))))
  const found = new Map(names.map((name, index) => [name, items[index]?.data as AttributeDefinition | undefined]))
  checkAttributes(attributes, (name) => found.get(name))
}
