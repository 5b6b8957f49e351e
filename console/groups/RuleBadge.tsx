import type { Schemas } from '../data/api.ts'
import { Badge } from '../parts/Badge.tsx'
import { useTexts } from '../texts/texts.ts'

/** Whether a rule is in effect. */
export function RuleBadge({ rule: { state, enabled } }: { rule: Schemas['Rule'] }) {
  const texts = useTexts()
  if (state !== 'READY') return <Badge tone="warn">{texts.rules.states[state]}</Badge>
  return enabled ? <Badge tone="good">{texts.rules.states.READY}</Badge> : <Badge>{texts.rules.off}</Badge>
}
