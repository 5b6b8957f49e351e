import type { ComponentChildren } from 'preact'
import { screenOf } from '../address.ts'
import { screenAt } from '../screens.ts'
import { useMe } from '../shell/me.ts'

/** A link to another screen, where this person has it; else only its text. */
export function LinkTo({ to, children }: { to: string; children: ComponentChildren }) {
  const me = useMe()
  return screenAt(me, screenOf(to)) ? (
    <a href={to} dir="auto">
      {children}
    </a>
  ) : (
    <span dir="auto">{children}</span>
  )
}
