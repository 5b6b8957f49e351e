import { expect, it } from 'vitest'
import type { ImportProgress } from '../../domain/import/importContext.ts'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { ImportRefused } from '../../domain/import/importErrors.ts'
import { talliesOf } from '../../domain/import/importSummary.ts'
import { audit, dump } from '../harness/audit.ts'
import type { Any } from '../harness/call.ts'
import { contextOf } from './directory.ts'
import { emptyTable } from './emptyTable.ts'

const languages = Array.from({ length: 50 }, (_, n) => `${String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26))}`)
const range = (length: number) => Array.from({ length }, (_, n) => n)
/** Characters take three bytes, or must be escaped in JSON. */
const heavy = (count: number, of = '漢') => of.repeat(count)
const inAll = (count: number, of?: string) => languages.map((language) => ({ language, text: heavy(count, of) }))
/** 64 characters. */
const id = (name: string) => name.padEnd(64, 'x')

/** Every record as large as its form lets it be. */
const largest = (): Any => ({
  organisation: { default_language: languages[0], languages },
  roles: range(16).map((n) => ({
    id: id(`role-${n}`),
    title: inAll(120),
    description: inAll(200, n % 2 ? '漢' : '"'),
    scope: n % 2 ? 'CHANNELS' : 'USER_GROUPS',
    type: 'CUSTOM',
    permissions: range(200).map((m) => `${m}`.padStart(4, '0') + '🦩'.repeat(96)),
  })),
  user_groups: range(16).map((n) => ({
    id: id(`group-${n}`),
    title: inAll(100),
    description: inAll(300, n % 2 ? '漢' : '"'),
    type: 'CUSTOM',
    external_id: `${n}`.padStart(5, '0') + '🦩'.repeat(250),
  })),
  attribute_definitions: range(47).map((n) => ({
    technical_name: id(`attribute-${n}`),
    title: inAll(255, n % 2 ? '漢' : '"'),
    attribute_type: 'TEXT',
  })),
  users: range(20).map((n) => ({
    id: id(`user-${n}`),
    // Every search row repeats what people are searched by: a few who have much of it will do.
    username: `${n}`.padStart(5, '0') + '🦩'.repeat(n < 3 ? 250 : 1),
    external_id: `${n}`.padStart(5, '0') + '🦩'.repeat(250),
    first_name: '🦩'.repeat(64),
    last_name: '🦩'.repeat(64),
    email: `${'a'.repeat(64)}@${range(3)
      .map(() => 'b'.repeat(60))
      .join('.')}.example`,
    attributes: [
      ...range(47).map((m) => ({ name: id(`attribute-${m}`), value: '🦩'.repeat(255) })),
      ...['department', 'location', 'job_title'].map((name) => ({
        name,
        // As many words as fit: each is found on its own.
        value: range(n < 3 ? 50 : 1)
          .map((m) => `${name[0]}${m}🦩`)
          .join(' '),
      })),
    ],
    tags: range(50).map((m) => ({ name: `${m}`.padStart(2, '0') + '🦩'.repeat(62) })),
  })),
  channels: range(16).map((n) => ({
    id: id(`channel-${n}`),
    title: inAll(255, n % 2 ? '漢' : '"'),
    default_role_id: 'channel-member',
  })),
  user_group_assignments: range(16).map((n) => ({
    group_id: id(`group-${n}`),
    user_id: id(`user-${n}`),
    role_id: id('role-0'),
    source: 'MANUAL',
  })),
  tasks: range(18).map((n) => ({
    id: id(`task-${n}`),
    author_id: id('user-0'),
    title: '🦩'.repeat(150),
    body: n % 2 ? { plain: heavy(50_000) } : { delta: JSON.stringify({ ops: [{ insert: `${heavy(49_900)}\n` }] }) },
    external_id: `${n}`.padStart(5, '0') + '🦩'.repeat(250),
  })),
  task_assignments: range(18).flatMap((n) =>
    range(4).map((m) => ({ task_id: id(`task-${n}`), user_id: id(`user-${m}`) })),
  ),
})

it('the largest records of every section are brought in', async () => {
  const service = await emptyTable()
  const parts: string[] = []
  const onProgress = ({ section }: ImportProgress) => parts.push(section)
  const summary = await importDirectory({ ...contextOf(service), onProgress }, largest())
  expect(summary.users.created).toBe(20)
  expect(summary.tasks.created).toBe(18)
  // Of neither does one transaction take all.
  for (const section of ['users', 'tasks']) expect(parts.filter((one) => one === section).length).toBeGreaterThan(1)
  await audit(service)
  const again = await importDirectory(contextOf(service), largest())
  expect(again.differences).toEqual([])
  for (const tally of Object.values(talliesOf(again)))
    expect(tally).toMatchObject({ created: 0, updated: 0, different: 0 })
})

it('what is larger is a fault before anything is written', async () => {
  const service = await emptyTable()
  const file = largest()
  file.user_groups[4].description = inAll(301)
  file.tasks[7].body.html = `<p>${heavy(10)}</p>`
  const refused: ImportRefused = await importDirectory(contextOf(service), file).then(
    () => Promise.reject(new Error('it was not refused')),
    (error) => error,
  )
  expect(refused).toBeInstanceOf(ImportRefused)
  expect(refused.faults.map(({ section, index, property }) => [section, index, property])).toEqual([
    ['user_groups', 4, 'description'],
    ['tasks', 7, 'body'],
  ])
  expect(await dump(service)).toEqual([])
})
