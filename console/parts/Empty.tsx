import type { ComponentChildren } from 'preact'

/** What a list says that has nothing to show, and what to do then. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p>
      <strong>{title}</strong>
    </p>
    {children}
  </div>
)
