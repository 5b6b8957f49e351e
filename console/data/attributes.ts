import { api } from './api.ts'

/** The attributes of the organisation by title. */
export async function readAttributes(signal: AbortSignal) {
  const { data } = await api.GET('/api/admin/users/v4/user-attribute-definitions', { signal })
  return data.attribute_definitions.map(({ definition }) => ({
    name: definition.technical_name,
    title: definition.title?.text ?? definition.technical_name,
    type: definition.attribute_type,
  }))
}
