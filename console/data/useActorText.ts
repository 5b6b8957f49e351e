import { useTexts } from '../texts/texts.ts'
import type { Schemas } from './api.ts'
import { usePeopleNames } from './usePeopleNames.ts'
import { type Titled, useTitles } from './useTitles.ts'

type Actor = Schemas['Event']['actor']

const nobody: Actor = { id: null, kind: 'SYSTEM', request_id: null, operation: '' }

/** Who has made a change, by name. */
export function useActorText({ kind, id }: Actor = nobody): string {
  const texts = useTexts()
  const names = usePeopleNames(kind === 'USER' && id ? [id] : [])
  const tokens: Titled[] = kind === 'SERVICE_TOKEN' && id ? [{ kind: 'service_token', id }] : []
  const titleOf = useTitles(tokens)
  const [token] = tokens
  if (token) return texts.person.byToken(titleOf(token))
  return id === null ? texts.person.bySystem : (names.get(id) ?? id)
}
