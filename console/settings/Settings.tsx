import type { ComponentType } from 'preact'
import { linkTo } from '../address.ts'
import { HistoryLink } from '../parts/HistoryLink.tsx'
import { Page } from '../parts/Page.tsx'
import { Tabs } from '../parts/Tabs.tsx'
import type { ScreenProperties } from '../screens.ts'
import { useTexts } from '../texts/texts.ts'
import { Attributes } from './Attributes.tsx'
import { Calendar } from './Calendar.tsx'
import { Organisation } from './Organisation.tsx'
import { Roles } from './Roles.tsx'

const views = { organisation: Organisation, attributes: Attributes, roles: Roles, calendar: Calendar } as const
type View = keyof typeof views

/** What the history calls them. Attributes and roles are many records. */
const recordOf = {
  organisation: { kind: 'organisation_settings', id: 'settings' },
  attributes: { kind: 'attribute_definition' },
  roles: { kind: 'role' },
  calendar: { kind: 'calendar_settings', id: 'settings' },
} as const

/** What holds for the whole organisation. */
export default function Settings({ query }: ScreenProperties) {
  const texts = useTexts()
  const names = Object.keys(views) as View[]
  const view = names.find((one) => one === query.get('view')) ?? 'organisation'
  const Shown: ComponentType = views[view]
  return (
    <Page title={texts.settings.title} actions={<HistoryLink {...recordOf[view]} />}>
      <Tabs
        label={texts.settings.title}
        tabs={names.map((one) => ({
          to: linkTo('settings', { view: one }),
          text: texts.settings.views[one],
          isHere: one === view,
        }))}
      />
      <Shown />
    </Page>
  )
}
