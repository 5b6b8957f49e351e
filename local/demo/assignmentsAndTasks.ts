import { DAY_MS } from '../../domain/base/text.ts'
import { serviceAccountId } from '../identity/tokenEndpoint.ts'
import type { Directory, DirectoryTask, DirectoryUser } from './importTypes.ts'
import { sites, text } from './organisation.ts'
import { serviceTasks } from './serviceAccountTasks.ts'

const progress = ['NEW', 'OPEN', 'FINISHED'] as const

const isActive = ({ status }: DirectoryUser) => status === 'ACTIVE'
const attribute = (user: DirectoryUser, name: string) => user.attributes?.find((one) => one.name === name)?.value

/** Group assignments in addition to primary groups: site groups by rule, first aiders and team leads by hand. */
export const groupAssignments = (users: DirectoryUser[]): NonNullable<Directory['user_group_assignments']> => {
  const active = users.filter(isActive)
  const bySite = users.flatMap((user) => {
    const group_id = sites[attribute(user, 'location') ?? '']
    return group_id ? [{ group_id, user_id: user.id, role_id: 'group-member', source: 'RULE' }] : []
  })
  const byHand = active.flatMap((user, index) => [
    ...(index % 11 === 0 ? [manual('first-aiders', user, 'group-member')] : []),
    ...(index % 66 === 0 ? [manual('first-aiders', user, 'group-coordinator')] : []),
    ...(index % 17 === 0 ? [manual(user.primary_user_group_id ?? 'it', user, 'group-owner')] : []),
  ])
  return [...bySite, ...byHand]
}

const manual = (group_id: string, user: DirectoryUser, role_id: string) => ({
  group_id,
  user_id: user.id,
  role_id,
  source: 'MANUAL',
})

export const channels: NonNullable<Directory['channels']> = [
  { id: 'news', title: text('Company news', 'Neues aus dem Haus', "Nouvelles de l'entreprise") },
  { id: 'floor', title: text('Shop floor', 'Halle und Hof', 'Atelier') },
  { id: 'it-status', title: text('IT status', 'IT-Störungen', 'État des services') },
  { id: 'safety', title: text('Health & safety', 'Arbeitssicherheit', 'Santé et sécurité') },
  { id: 'summer-2024', title: text('Summer party 2024', 'Sommerfest 2024', 'Fête 2024'), status: 'ARCHIVED' as const },
  { id: 'onboarding', title: text('New colleagues', 'Neu bei uns', 'Nouveaux collègues') },
  { id: 'relocation', title: text('The new hall', 'Die neue Halle', 'Le nouveau hall') },
].map((channel) => ({ ...channel, default_role_id: 'channel-member' }))

export const channelGroups: NonNullable<Directory['channel_user_groups']> = [
  { channel_id: 'news', group_id: 'all-users', role_id: 'channel-member' },
  { channel_id: 'floor', group_id: 'operations', role_id: 'channel-member' },
  { channel_id: 'it-status', group_id: 'all-users', role_id: 'channel-member' },
  { channel_id: 'it-status', group_id: 'it', role_id: 'channel-editor' },
  { channel_id: 'safety', group_id: 'first-aiders', role_id: 'channel-editor' },
  { channel_id: 'safety', group_id: 'warehouse', role_id: 'channel-member' },
]

/** Owners and editors of channels, assigned by hand. */
export const channelAssignments = (users: DirectoryUser[]): NonNullable<Directory['channel_assignments']> => {
  const active = users.filter(isActive)
  const ofService = { channel_id: 'onboarding', user_id: serviceAccountId, role_id: 'channel-owner' }
  const appointed = channels.flatMap(({ id: channel_id }, index) => [
    { channel_id, user_id: 'demo-admin', role_id: 'channel-owner' },
    ...active
      .slice(10 + index * 9, 13 + index * 9)
      .map(({ id }) => ({ channel_id, user_id: id, role_id: 'channel-editor' })),
    ...active
      .slice(60 + index * 7, 65 + index * 7)
      .map(({ id }) => ({ channel_id, user_id: id, role_id: 'channel-member' })),
  ])
  return [...appointed, ofService]
}

type TaskDraft = { title: string; plain: string; days: number | null; recipients: number }

const drafts: TaskDraft[] = [
  {
    title: 'Fire drill: confirm your assembly point',
    plain: 'Please confirm by the end of the week.',
    days: 5,
    recipients: 40,
  },
  { title: 'Inventur Halle 3', plain: 'Zählung je Regal, Abweichungen melden.', days: 12, recipients: 18 },
  { title: 'Former les nouveaux arrivants', plain: 'Préparer la visite du site.', days: 20, recipients: 6 },
  { title: '棚卸しの準備', plain: 'ラベルを確認してください。', days: 2, recipients: 9 },
  { title: 'Renew the forklift licence', plain: 'Book the course, send the certificate.', days: -3, recipients: 12 },
  { title: 'Update your emergency contact', plain: 'It takes two minutes.', days: null, recipients: 60 },
  { title: 'Przegląd gaśnic', plain: 'Sprawdzić daty ważności.', days: 30, recipients: 1 },
  { title: 'تحديث بيانات المورد', plain: 'يرجى التحقق من الحسابات.', days: 8, recipients: 4 },
]

/** Tasks of the administrator and others, some personal, in every state of progress. */
export const tasksAndAssignments = (
  users: DirectoryUser[],
  now: Date,
): Required<Pick<Directory, 'tasks' | 'task_assignments'>> => {
  const active = users.filter(isActive)
  const distributed = drafts.map((draft, index) => ({
    task: task(draft, { id: `task-${index + 1}`, author_id: active[index % 3]?.id ?? 'demo-admin' }, now),
    recipients: active.slice(3 + index * 8, 3 + index * 8 + draft.recipients),
  }))
  const personal = active.slice(0, 6).map((author, index) => ({
    task: task(
      {
        title: `Prepare my handover ${index + 1}`,
        plain: 'Notes for the next shift.',
        days: index - 1,
      },
      { id: `note-${index + 1}`, author_id: author.id },
      now,
    ),
    recipients: [author],
  }))
  const all = [...distributed, ...personal, forEverybodyKnown(now)]
  const assignments = all.flatMap(({ task: { id }, recipients }, nth) =>
    recipients.map((user, index) => ({
      task_id: id,
      user_id: user.id,
      progress_status: progress[(index + nth) % progress.length] as (typeof progress)[number],
    })),
  )
  return {
    tasks: [...all.map((one) => one.task), ...serviceTasks.map((one) => task(one, one, now))],
    task_assignments: [
      ...assignments,
      ...serviceTasks.flatMap(({ id: task_id, recipients }) =>
        Object.entries(recipients).map(([user_id, progress_status]) => ({ task_id, user_id, progress_status })),
      ),
    ],
  }
}

const forEverybodyKnown = (now: Date) => ({
  task: task(
    { title: 'Welcome: look around', plain: 'Read the handbook, then finish this task.', days: 7 },
    { id: 'task-welcome', author_id: 'demo-admin' },
    now,
  ),
  recipients: [{ id: 'demo-user' }],
})

const task = (
  { title, plain, days }: Pick<TaskDraft, 'title' | 'plain' | 'days'>,
  { id, author_id }: { id: string; author_id: string },
  now: Date,
): DirectoryTask => ({
  id,
  author_id,
  title,
  body: { plain, html: `<p>${plain}</p>` },
  external_id: `T-${id}`,
  ...(days === null ? {} : { due_at: due(days, now) }),
})

// Every second one is due on a day, not at a moment.
const due = (days: number, now: Date): NonNullable<DirectoryTask['due_at']> => {
  const moment = new Date(now.getTime() + days * DAY_MS).toISOString()
  return days % 2 === 0
    ? { due_at_type: 'DATE', date: moment.slice(0, 10) }
    : { due_at_type: 'DATE_TIME', date_time: moment }
}
