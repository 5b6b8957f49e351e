import type { Example } from './describe.ts'

/** Tasks that are created. */
export const newTasks: readonly Example[] = [
  {
    title: 'A task for users',
    status: 201,
    body: {
      id: 'fire-drill',
      external_id: 'EHS-17',
      title: 'Fire drill',
      body: {
        html: '<p>Meet at the <strong>gate</strong>.</p><ol><li>Leave everything</li><li>Use the stairs</li></ol>',
      },
      due_at: { due_at_type: 'DATE', date: '2030-01-31' },
      settings: { colour: 'red' },
      recipients: [
        { id: 'user-025', type: 'USER' },
        { id: 'user-026', type: 'USER' },
      ],
    },
  },
  {
    title: 'A task for the members of a channel',
    status: 201,
    body: {
      title: 'Choose your mentor',
      body: { content_format: 'PLAIN', contentPlain: 'Talk to two of them first.' },
      due_at: { due_at_type: 'DATE_TIME', date_time: '2030-01-31T17:00:00+01:00' },
      recipients: [{ id: 'onboarding', type: 'CHANNEL' }],
    },
  },
  {
    title: 'A task for oneself, as little as it takes',
    status: 201,
    body: { title: 'Order flowers', recipients: [{ id: 'service-account-admin', type: 'USER' }] },
  },
]

/** Changes of a task. */
export const taskChanges: readonly Example[] = [
  {
    title: 'Change title, text and due date',
    status: 200,
    body: {
      title: 'Label your locker and its key',
      body: { html: '<p>Name and team, please, in <em>capital letters</em>.</p>' },
      due_at: { due_at_type: 'DATE', date: '2030-02-28' },
    },
  },
  {
    title: 'Keep something with it',
    status: 200,
    body: { settings: { colour: 'red', reminder: { days: 2 } } },
  },
  {
    title: 'Clear some fields',
    status: 200,
    body: { due_at: null, external_id: null, settings: { reminder: null } },
  },
]
