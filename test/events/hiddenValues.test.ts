import { beforeAll, expect, it } from 'vitest'
import { call } from '../harness/call.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { createWebhook, onThisMachine, runDeliver, startReceiver } from '../webhooks/receiver.ts'

// Events go to other webhooks: they say that the body of a task and the URL of a webhook have changed, and not how.

let service: Service
beforeAll(async () => {
  service = await startService({ users: people })
  onThisMachine()
})

const kept = 'nobody else may read this'

it('no event shows the body of a task or the path of a URL, when it is listed and when it is delivered', async () => {
  const receiver = await startReceiver()
  await createWebhook({ url: receiver.url })
  const { id } = await createWebhook({
    url: `${receiver.url}hooks/${encodeURIComponent(kept)}?key=${encodeURIComponent(kept)}`,
  })
  service.setNow(new Date(service.now().getTime() + 6000))
  const url = `${receiver.url}other?key=${encodeURIComponent(kept)}`
  await call('updateWebhook', { path: { webhook_id: id }, body: { url } })
  const recipients = [{ id: 'plain', type: 'USER' }]
  await call('createTask', { body: { id: 'secret', title: 'Title', body: { plain: kept }, recipients } })
  await call('updateTask', { path: { task_id: 'secret' }, body: { body: { plain: `${kept} again` } } })
  await runDeliver()
  const origin = new URL(receiver.url).origin
  for (const [record_kind, record_id, changes] of [
    ['task', 'secret', { field: 'body', before: null, after: null }],
    ['webhook', id, { field: 'url', before: origin, after: origin }],
  ] as const) {
    const { body } = await call('listEvents', { query: { record_kind, record_id } })
    expect(body.events[0].changes).toContainEqual(changes)
    expect(decodeURIComponent(JSON.stringify(body))).not.toContain(kept)
  }
  const texts = receiver.received.map(({ text }) => decodeURIComponent(text))
  expect(texts.some((text) => text.includes('task.updated'))).toBe(true)
  expect(texts.filter((text) => text.includes(kept))).toEqual([])
})
