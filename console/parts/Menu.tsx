import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

/** A button that shows more, such as filters and columns. It is a `details`: Escape closes it, and so does a click elsewhere. */
export function Menu({ label, children }: { label: string; children: ComponentChildren }) {
  const details = useRef<HTMLDetailsElement>(null)
  const close = () => details.current?.removeAttribute('open')
  return (
    <details
      ref={details}
      class="menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !details.current?.open) return
        close()
        details.current.querySelector('summary')?.focus()
      }}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !details.current?.contains(relatedTarget)) close()
      }}
    >
      <summary class="button">{label}</summary>
      <div class="menu-panel">{children}</div>
    </details>
  )
}
