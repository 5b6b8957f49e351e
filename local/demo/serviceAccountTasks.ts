import { serviceAccountId } from '../identity/tokenEndpoint.ts'

type Progress = 'NEW' | 'OPEN' | 'FINISHED'

/** A task with its recipients and how far each has come; `days` is how far ahead it is due. */
type ServiceTask = {
  id: string
  author_id: string
  title: string
  plain: string
  days: number | null
  recipients: Readonly<Record<string, Progress>>
}

const own = (id: string, title: string, plain: string, days: number | null, recipients: ServiceTask['recipients']) => ({
  id,
  author_id: serviceAccountId,
  title,
  plain,
  days,
  recipients,
})

/**
 * Tasks that the service account has created or received, so that its token finds some. No two examples of the API
 * reference use the same one.
 */
export const serviceTasks: readonly ServiceTask[] = [
  own('task-induction', 'Show the new colleagues around', 'One morning for each of them is enough.', 14, {
    'user-025': 'NEW',
    'user-026': 'OPEN',
    'user-027': 'FINISHED',
    'user-028': 'FINISHED',
  }),
  own('task-lockers', 'Label your locker', 'Name and team, please.', 6, { 'user-029': 'NEW', 'user-030': 'OPEN' }),
  own('task-canteen', 'What should the canteen cook?', 'Three wishes each.', null, {
    'user-025': 'FINISHED',
    'user-026': 'NEW',
  }),
  own('task-badges', 'Collect your new badge', 'At the reception, until four.', 9, { 'user-025': 'OPEN' }),
  own('task-parking', 'Register your car', 'Only for those who park in hall 2.', 16, { 'user-025': 'NEW' }),
  own('task-keys', 'Count your keys', 'Tell us which ones you have.', 4, {
    'user-025': 'NEW',
    'user-026': 'OPEN',
    'user-027': 'NEW',
    'user-028': 'FINISHED',
  }),
  own('task-visit', 'Prepare the visit of the fire brigade', 'Clear the ways to all exits.', 11, {
    'user-029': 'NEW',
    'user-030': 'NEW',
  }),
  {
    ...own('task-first-aid', 'Refresh your first aid', 'Book one of the two courses.', 25, {
      [serviceAccountId]: 'OPEN',
    }),
    author_id: 'demo-admin',
  },
  {
    ...own('task-contact', 'Check your contact data', 'It takes two minutes.', 3, { [serviceAccountId]: 'FINISHED' }),
    author_id: 'demo-admin',
  },
]
