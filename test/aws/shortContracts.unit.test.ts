import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { shortContracts } from '../../local/build/shortContracts.ts'

/** The exports of a module as bundles hold them. */
async function bundled(code: string): Promise<Record<string, unknown>> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: new URL('../../', import.meta.url).pathname, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    plugins: [shortContracts],
  })
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`)
}

test('a bundle holds of a contract what functions read, and no schema', async () => {
  const { createTask, listTasks } = await bundled("export { createTask, listTasks } from './schemas/tasks.ts'")
  expect(createTask).toEqual({
    name: 'createTask',
    access: 'user',
    feature: { name: 'tasks', off: 'FEATURE_DISABLED' },
    body: {},
    trims: expect.arrayContaining(['title']),
    faultCodes: expect.arrayContaining([{ at: /^recipients$/, keyword: 'required', code: 'NO_RECIPIENTS' }]),
    versioned: true,
    repeatable: 'TASK_NOT_FOUND',
  })
  expect(listTasks).toMatchObject({
    query: { properties: { page_limit: { type: 'integer' }, progress_status: { type: 'array' } } },
  })
})

test('of a patch it holds what may be an object, as empty ones change nothing', async () => {
  const { updateCalendarSettings } = await bundled("export { updateCalendarSettings } from './schemas/calendar.ts'")
  expect(updateCalendarSettings).toMatchObject({
    body: { properties: { working_hours: { type: ['object', 'null'] } } },
  })
  const { updateUsers } = await bundled("export { updateUsers } from './schemas/users.ts'")
  expect(updateUsers).toMatchObject({
    item: { properties: { body: { properties: { tags: { type: ['array', 'null'] } } } } },
  })
})

test('other values beside a contract stay', async () => {
  const { weekDays } = await bundled("export { weekDays } from './schemas/calendar.ts'")
  expect(weekDays).toHaveLength(7)
})
