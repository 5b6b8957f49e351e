import { Badge, type Tone } from '../parts/Badge.tsx'
import { useTexts } from '../texts/texts.ts'
import type { User } from './peopleQuery.ts'

const tones: Record<User['status'], Tone> = {
  ACTIVE: 'good',
  LOCKED: 'warn',
  DEACTIVATED: 'calm',
  PENDING_DELETION: 'bad',
}

export function StatusBadge({ status }: { status: User['status'] }) {
  const texts = useTexts()
  return <Badge tone={tones[status]}>{texts.status[status]}</Badge>
}
