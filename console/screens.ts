// THE SCREENS: each is a line here, a folder beside this file, and a line in test/browser/screens.ts.
import type { ComponentType } from 'preact'
import { isAdministrator, type Me } from './shell/me.ts'
import type { Texts } from './texts/texts.ts'

/** A screen has the query of the address as its only property. */
export type ScreenProperties = { query: URLSearchParams }
type Module = { default: ComponentType<ScreenProperties> }

export type Screen = {
  /** `people` of `/console/people`; '' is the first screen. */
  path: string
  /** Its name in the navigation, and in the title of the page until the screen says a better one. */
  name: keyof Texts['navigation'] & string
  /** Where it is in the navigation: its own place, or below another screen. */
  below?: string
  for: 'EVERYBODY' | 'ADMINISTRATORS'
  /** The feature of the organisation that people who are no administrators need for it. */
  feature?: keyof Me['features']
  /** The feature of the organisation that everybody needs for it, administrators, too. */
  needs?: keyof Me['features']
  load: () => Promise<Module>
}

export const screens: readonly Screen[] = [
  { path: '', name: 'home', for: 'EVERYBODY', load: () => import('./home/Home.tsx') },
  {
    path: 'people',
    name: 'people',
    for: 'EVERYBODY',
    feature: 'people_directory',
    load: () => import('./people/People.tsx'),
  },
  { path: 'person', name: 'person', below: 'people', for: 'EVERYBODY', load: () => import('./people/Person.tsx') },
  {
    path: 'new-person',
    name: 'person',
    below: 'people',
    for: 'ADMINISTRATORS',
    load: () => import('./people/NewPerson.tsx'),
  },
  { path: 'groups', name: 'groups', for: 'ADMINISTRATORS', load: () => import('./groups/Groups.tsx') },
  { path: 'group', name: 'groups', below: 'groups', for: 'ADMINISTRATORS', load: () => import('./groups/Group.tsx') },
  { path: 'rule', name: 'groups', below: 'groups', for: 'ADMINISTRATORS', load: () => import('./groups/Rule.tsx') },
  { path: 'channels', name: 'channels', for: 'ADMINISTRATORS', load: () => import('./channels/Channels.tsx') },
  {
    path: 'channel',
    name: 'channels',
    below: 'channels',
    for: 'ADMINISTRATORS',
    load: () => import('./channels/Channel.tsx'),
  },
  { path: 'tasks', name: 'tasks', for: 'EVERYBODY', needs: 'tasks', load: () => import('./tasks/Tasks.tsx') },
  {
    path: 'task',
    name: 'tasks',
    below: 'tasks',
    for: 'EVERYBODY',
    needs: 'tasks',
    load: () => import('./tasks/Task.tsx'),
  },
  {
    path: 'new-task',
    name: 'tasks',
    below: 'tasks',
    for: 'EVERYBODY',
    needs: 'tasks',
    load: () => import('./tasks/NewTask.tsx'),
  },
  { path: 'plans', name: 'plans', for: 'ADMINISTRATORS', load: () => import('./plans/Plans.tsx') },
  { path: 'plan', name: 'plans', below: 'plans', for: 'ADMINISTRATORS', load: () => import('./plans/Plan.tsx') },
  { path: 'new-plan', name: 'plans', below: 'plans', for: 'ADMINISTRATORS', load: () => import('./plans/NewPlan.tsx') },
  {
    path: 'connections',
    name: 'connections',
    for: 'ADMINISTRATORS',
    load: () => import('./connections/Connections.tsx'),
  },
  {
    path: 'webhook',
    name: 'connections',
    below: 'connections',
    for: 'ADMINISTRATORS',
    load: () => import('./connections/Webhook.tsx'),
  },
  { path: 'history', name: 'history', for: 'ADMINISTRATORS', load: () => import('./history/History.tsx') },
  { path: 'settings', name: 'settings', for: 'ADMINISTRATORS', load: () => import('./settings/Settings.tsx') },
]

/** Whether this person sees the screen: nothing is shown that would be refused. */
export const isFor = (me: Me, { for: audience, feature, needs }: Screen): boolean =>
  (needs === undefined || me.features[needs]) &&
  (isAdministrator(me) || (audience === 'EVERYBODY' && (feature === undefined || me.features[feature])))

/** The screen of a path, if this person has it. */
export const screenAt = (me: Me, path: string): Screen | undefined =>
  screens.find((screen) => screen.path === path && isFor(me, screen))
