import type { Task } from '../../domain/tasks/task.ts'

/** A user as calls make them. All have the same data except the id, so that a request for one works for another. */
export const newPerson = (id: string) => ({
  id,
  username: id,
  first_name: 'Zoë',
  last_name: 'Ferrán-Oliveira',
  email: `${id}@large.example`,
  external_id: id,
  role: 'USER' as const,
  status: 'ACTIVE' as const,
  attributes: [
    { name: 'department', value: 'Logistics' },
    { name: 'location', value: 'Lisboa' },
    { name: 'job_title', value: 'Fleet planner' },
  ],
})

/** A task of the administrator. */
export const newTask = (id: string, now: string): Task => ({
  id,
  external_id: null,
  title: 'Read the new rules',
  body: { plain: 'Please read them.' },
  author_id: 'admin',
  due_at: null,
  settings: null,
  created_at: now,
  updated_at: now,
})
