import { shownAttributes } from '../attributes/attributeDefinition.ts'
import type { Context } from '../request/context.ts'
import { loadUsers, userReference } from '../users/user.ts'

/** Whether the caller may see the departments of others. */
export const showsDepartments = async (context: Context): Promise<boolean> =>
  (await shownAttributes(context, ['department'])).has('department')

/** Tasks of an answer, each with its author if the call asks for that. */
export async function withAuthors<T extends { author_id: string }>(
  context: Context,
  embed: readonly 'AUTHOR'[] | undefined,
  tasks: readonly T[],
): Promise<(T & { author?: ReturnType<typeof userReference> })[]> {
  if (!embed?.includes('AUTHOR')) return [...tasks]
  const [authors, showsDepartment] = await Promise.all([
    loadUsers(
      context,
      tasks.map(({ author_id }) => author_id),
    ),
    showsDepartments(context),
  ])
  return tasks.map((task) => ({
    ...task,
    author: userReference(task.author_id, authors.get(task.author_id), showsDepartment),
  }))
}
