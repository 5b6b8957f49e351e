import { shownAttributes } from '../people/records/shownAttributes.ts'
import { loadUsers, userReference } from '../people/records/userReference.ts'
import type { Context } from '../request/context.ts'

/** Whether the caller may see the departments of others. */
export const showsDepartments = async (context: Context): Promise<boolean> =>
  (await shownAttributes(context, ['department'])).has('department')

type Authored = { author_id: string }
type WithAuthor = <T extends Authored>(task: T) => T & { author?: ReturnType<typeof userReference> }

/** Reads the authors of these tasks, if the call asks for them. Returns a function that adds the author to a task of the answer. */
export async function readAuthors(
  context: Context,
  embed: readonly 'AUTHOR'[] | undefined,
  tasks: readonly Authored[],
): Promise<WithAuthor> {
  if (!embed?.includes('AUTHOR')) return (task) => task
  const ids = tasks.map(({ author_id }) => author_id)
  const [authors, showsDepartment] = await Promise.all([loadUsers(context, ids), showsDepartments(context)])
  return (task) => ({
    ...task,
    author: userReference(task.author_id, authors.get(task.author_id), showsDepartment),
  })
}
