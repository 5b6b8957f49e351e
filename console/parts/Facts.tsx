import type { ComponentChildren } from 'preact'
import { useTexts } from '../texts/texts.ts'

/** Names with their values. A value that is not there says so. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  const texts = useTexts()
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{value || <span class="none">{texts.common.none}</span>}</dd>
        </div>
      ))}
    </dl>
  )
}
