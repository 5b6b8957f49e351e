import type { Directory } from '../demo/importTypes.ts'

/** A person on the sign-in page of the local identity provider. */
export type Shown = { username: string; name: string; about: string }

/** A few people of a directory to sign in as: an administrator, an author of tasks, and two others. */
export const peopleToShow = ({ users = [], tasks = [] }: Directory): Shown[] => {
  const authors = new Set(tasks.map(({ author_id }) => author_id))
  const active = users.filter(({ status = 'ACTIVE', protected: isProtected }) => status === 'ACTIVE' && !isProtected)
  const ordinary = active.filter(({ role = 'USER' }) => role === 'USER')
  return [
    ...shown(active.filter(({ role }) => role === 'ADMIN').slice(0, 1), 'Administrator'),
    ...shown(ordinary.filter(({ id }) => authors.has(id)).slice(0, 1), 'Gives tasks'),
    ...shown(ordinary.filter(({ id }) => !authors.has(id)).slice(0, 2), 'User'),
  ]
}

const shown = (users: Required<Directory>['users'], about: string): Shown[] =>
  users.map(({ username, first_name, last_name }) => ({ username, name: `${first_name} ${last_name}`, about }))
