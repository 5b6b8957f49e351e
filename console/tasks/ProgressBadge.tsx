import { Badge } from '../parts/Badge.tsx'
import { useTexts } from '../texts/texts.ts'
import type { Progress } from './taskQuery.ts'

const tones = { NEW: 'warn', OPEN: 'calm', FINISHED: 'good' } as const

/** How far one recipient is. */
export function ProgressBadge({ progress }: { progress: Progress }) {
  const texts = useTexts()
  return <Badge tone={tones[progress]}>{texts.tasks.progressOf[progress]}</Badge>
}
