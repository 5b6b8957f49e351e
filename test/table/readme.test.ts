import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { refuse } from '../../domain/base/errors.ts'
import { decideAgain } from '../../domain/base/retry.ts'
import { systemCause } from '../../domain/table/actions.ts'
import { createRecord, replaceRecord } from '../../domain/table/changes.ts'
import { a, declareFields, everywhere, type RecordOf } from '../../domain/table/fields.ts'
import { roleKey } from '../../domain/table/keys.ts'
import { defineRecord } from '../../domain/table/records.ts'
import type { Store } from '../../domain/table/store.ts'
import { startService } from '../harness/service.ts'

// The example of domain/table/README.md: the lines between the two marks below stand there word for word.

// example
const badgeFields = declareFields({
  id: { type: a<string>() },
  title: { type: a<string>(), set: 'ALWAYS' }, // callers send and change it
  version: { type: a<number>(), initial: 1, hidden: everywhere },
})
type Badge = RecordOf<typeof badgeFields>

const badges = defineRecord<Badge>({
  key: roleKey, // a real record gets its own key in keys.ts
  fields: badgeFields,
  idOf: ({ id }) => [id],
  versioned: true,
  events: { kind: 'role' },
})

const createBadge = (store: Store, body: { title: string }, id: string) =>
  store.write([createRecord(badges, badgeFields.create(body, { id }), { code: 'DUPLICATE_ID', property: 'id' })])

const renameBadge = (store: Store, id: string, title: string) =>
  decideAgain(async () => {
    const badge = await badges.read(store, id)
    if (!badge) throw refuse('ROLE_NOT_FOUND', 'id')
    await store.write([replaceRecord(badges, badge, { ...badge, title, version: badge.version + 1 })])
  })
// end of example

it('is the example of the README', () => {
  const [, example = ''] = readFileSync(import.meta.filename, 'utf8').split(/^\/\/ (?:end of )?example\n/m)
  expect(example.length).toBeGreaterThan(500)
  expect(readFileSync('domain/table/README.md', 'utf8')).toContain(`\`\`\`ts\n${example}\`\`\``)
})

it('creates, renames and keeps the chain of events, also with two calls at once', async () => {
  const service = await startService()
  const store = service.store.causedBy(systemCause('readme'))
  await createBadge(store, { title: 'Pioneer' }, 'pioneer')
  const again = createBadge(store, { title: 'Other' }, 'pioneer')
  await expect(again).rejects.toMatchObject({ code: 'DUPLICATE_ID', property: 'id' })

  await Promise.all([renameBadge(store, 'pioneer', 'One'), renameBadge(store, 'pioneer', 'Two')])
  expect(await badges.read(store, 'pioneer')).toMatchObject({ version: 3, title: expect.stringMatching(/One|Two/) })
  await expect(renameBadge(store, 'unknown', 'x')).rejects.toMatchObject({ code: 'ROLE_NOT_FOUND' })

  const { items } = await store.query({ hash: 'EVENTS#role#pioneer' })
  expect(items.map(({ type }) => type)).toEqual(['role.created', 'role.updated', 'role.updated'])
  expect(items.map(({ previous }) => previous)).toEqual([undefined, items[0]?.sk, items[1]?.sk])
})
