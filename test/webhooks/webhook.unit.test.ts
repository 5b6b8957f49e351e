import { describe, expect, it } from 'vitest'
import { itemOf, replaceRecord } from '../../domain/table/changes.ts'
import { webhookHealthKey, webhookKey } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { afterFailure, healthy } from '../../domain/webhooks/health.ts'
import {
  answerOf,
  countWebhook,
  healthItem,
  isWanted,
  readHealth,
  readWebhooks,
  requireEnabled,
  requireWebhook,
  requireWithHealth,
  stillEnabled,
  type Webhook,
  webhooks,
} from '../../domain/webhooks/webhook.ts'
import { codeOf } from '../harness/refusal.ts'
import { actionText } from '../table/written.ts'

const now = '2026-11-21T09:00:00.000Z'
const hook = (parts: Partial<Webhook> = {}): Webhook => ({
  id: 'w',
  url: 'https://example.com/',
  types: null,
  description: null,
  enabled: true,
  created_by: 'ann',
  created_at: now,
  updated_at: now,
  rotated_at: null,
  secrets: [{ sealed: 's', until: null }],
  generation: 1,
  ...parts,
})
/** What is stored of a webhook, as it is read. */
const read = (parts: Partial<Webhook> = {}) => webhooks.of(itemOf(webhooks, hook(parts))) as Webhook
const [on, off] = [hook(), hook({ enabled: false })]

it.each<[types: string[] | null, wanted: string[]]>([
  [null, ['user.created', 'user.deleted', 'user_group.created', 'userx', 'role.created']],
  [[], []],
  [['user.created'], ['user.created']],
  [['user.*'], ['user.created', 'user.deleted']],
  [
    ['role.*', 'user.deleted'],
    ['user.deleted', 'role.created'],
  ],
  [['user*', 'role'], []],
])('a webhook for %j gets %j', (types, wanted) => {
  const all = ['user.created', 'user.deleted', 'user_group.created', 'userx', 'role.created']
  expect(all.filter((type) => isWanted({ types }, type))).toEqual(wanted)
})

it.each<[what: string, before: Webhook | undefined, after: Webhook | undefined, count: unknown[]]>([
  ['created', undefined, on, ['ADD all 1, enabled 1']],
  ['created, disabled', undefined, off, ['ADD all 1, enabled 0']],
  ['enabled', off, on, ['ADD all 0, enabled 1']],
  ['disabled', on, off, ['ADD all 0, enabled -1']],
  ['deleted', on, undefined, ['ADD all -1, enabled -1']],
  ['deleted, disabled', off, undefined, ['ADD all -1, enabled 0']],
])('a webhook that is %s is counted, at most 20 of them', (_what, before, after, count) => {
  const room = ['if (attribute_not_exists(all)) OR (all <= 19)', { code: 'WEBHOOKS_LIMIT_EXCEEDED' }]
  const expected = ['update WEBHOOKS COUNTS', ...count, ...(before ? [] : room)]
  expect(countWebhook(before, after).map(actionText)).toEqual([expected])
})

it('a change of other fields counts nothing', () => {
  expect(countWebhook(on, hook({ url: 'https://example.org/' }))).toEqual([])
  expect(countWebhook(off, off)).toEqual([])
})

it.each<[before: Partial<Webhook>, after: Partial<Webhook>, type: string | undefined]>([
  [{}, { url: 'https://example.org/' }, 'webhook.updated'],
  [{ enabled: false }, { enabled: true }, 'webhook.updated'],
  [{}, { enabled: false }, 'webhook.disabled'],
  [{}, { rotated_at: now }, 'webhook.rotated'],
  [{ enabled: false }, { enabled: false, rotated_at: now }, 'webhook.rotated'],
  [{}, { secrets: [], generation: 2, mustSweep: true }, undefined],
])('a change of %j to %j is the event %s', (before, after, type) => {
  expect(replaceRecord(webhooks, read(before), hook(after)).event?.type).toBe(type)
})

describe('the webhook that a path names', () => {
  const health = afterFailure(healthy, now)
  const having =
    (...items: Item[]) =>
    async ({ pk, sk }: { pk: string; sk: string }) =>
      items.find((item) => item.pk === pk && item.sk === sk)
  const get = having(itemOf(webhooks, on), healthItem(on, health))

  it('must exist', async () => {
    expect(await requireWebhook({ get }, 'w')).toEqual(read())
    await expect(requireWebhook({ get }, 'other')).rejects.toMatchObject({
      code: 'WEBHOOK_NOT_FOUND',
      property: 'webhook_id',
    })
  })

  it('has a health; until it is tried, it is healthy', async () => {
    expect(await requireWithHealth({ get }, 'w')).toEqual({ webhook: read(), health })
    expect(await readHealth({ get }, on)).toStrictEqual(health)
    expect(await readHealth({ get }, hook({ id: 'other' }))).toEqual(healthy)
    expect(healthItem(on, health)).toEqual({ ...webhookHealthKey('w'), ...health, url: on.url, generation: 1 })
  })

  it.each<[change: Partial<Webhook>, isKept: boolean]>([
    [{ url: 'https://example.org/' }, false],
    [{ generation: 2 }, false],
    [{ types: ['user.*'], enabled: false }, true],
  ])('changed by %j keeps its health: %s', async (change, isKept) => {
    expect(await readHealth({ get }, hook(change))).toEqual(isKept ? health : healthy)
  })

  it('must be enabled, and stay so, for deliveries', () => {
    expect(codeOf(() => requireEnabled(on))).toBeUndefined()
    expect(codeOf(() => requireEnabled(off))).toBe('WEBHOOK_DISABLED webhook_id')
    const { pk, sk } = webhookKey('w')
    expect(actionText(stillEnabled(hook({ generation: 3 })))).toEqual([
      `check ${pk} ${sk}`,
      'if (data.enabled = true) AND (data.generation = 3)',
    ])
  })

  it('is one of all', async () => {
    const items = [itemOf(webhooks, on), { pk: 'WEBHOOKS', sk: 'W#none' }, itemOf(webhooks, hook({ id: 'v' }))]
    const query = async () => ({ items, count: items.length })
    expect((await readWebhooks({ query })).map(({ id }) => id)).toEqual(['w', 'v'])
  })
})

it.each<[webhook: Webhook, failing_since: string | null, state: string]>([
  [on, null, 'OK'],
  [on, now, 'FAILING'],
  [off, now, 'DISABLED'],
])('is answered without its secrets: %#', (webhook, failing_since, state) => {
  const { secrets: _secrets, generation: _generation, ...own } = webhook
  const { rotated_at: _rotated, ...shown } = own
  expect(answerOf(webhook, { ...healthy, failing_since })).toStrictEqual({
    status: 200,
    body: { ...shown, state, failing_since },
    own,
  })
})
