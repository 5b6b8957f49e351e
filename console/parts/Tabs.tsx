type Tab = { to: string; text: string; isHere: boolean }

/** A few views of one screen. Each is a link, so it can be sent to somebody, and "back" works. */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav class="tabs" aria-label={label}>
    <ul>
      {tabs.map(({ to, text, isHere }) => (
        <li key={to}>
          <a href={to} aria-current={isHere ? 'page' : undefined}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  </nav>
)
