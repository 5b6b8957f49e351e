import type { ComponentChildren } from 'preact'

export type Tone = 'good' | 'warn' | 'bad' | 'calm'

/** A word that stands out, such as a state. The word says it; the colour only helps. */
export const Badge = ({ tone = 'calm', children }: { tone?: Tone; children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
)
