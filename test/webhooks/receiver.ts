import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, vi } from 'vitest'
import { externals } from '../../domain/webhooks/externals.ts'
import { type Reach, reachOf } from '../../domain/webhooks/reach.ts'
import { handler as deliver } from '../../handlers/maintenance/deliver.ts'
import { type Any, call } from '../harness/call.ts'
import { allowedTo, usedBy } from '../harness/permissions.ts'

/** A message as a receiver gets it. */
export type Received = { headers: IncomingHttpHeaders; text: string; body: Any }

type Answer = { status: number; headers?: Record<string, string> }

/** A receiver on this machine, until the test ends. `answer` says how it answers the next messages. */
export async function startReceiver(first: (received: Received) => Answer | Promise<Answer> = () => ({ status: 200 })) {
  const receiver = { url: '', received: [] as Received[], answer: first }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const received = { headers: request.headers, text, body: JSON.parse(text) }
    receiver.received.push(received)
    const { status, headers = {} } = await receiver.answer(received)
    response.writeHead(status, headers).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  onTestFinished(() => void server.close())
  return receiver
}

/** Webhooks may lead to this machine, which may be busy. */
export const thisMachine: Reach = { ...reachOf({ WEBHOOKS_TO_THIS_MACHINE: 'yes' }), deadline: 60_000 }

/** Lets webhooks lead to this machine. */
export function onThisMachine(): void {
  externals.reach = () => thisMachine
}

/** Removes all webhooks, also those that a failed test has left: they would get the events of the next one. */
export async function removeWebhooks(): Promise<void> {
  const { body } = await call('listWebhooks')
  for (const { id } of body.webhooks)
    expect((await call('deleteWebhook', { path: { webhook_id: id } })).status).toBe(204)
  await runDeliver()
}

/** Creates a webhook, which must succeed. */
export async function createWebhook(body: object): Promise<Any> {
  const answer = await call('createWebhook', { body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

/** A run of the function `deliver`. Its requests to the table must be allowed by its role. */
export async function runDeliver(timeLeft = 60_000): Promise<Any> {
  const lambda = { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => timeLeft }
  const { answer, used } = await usedBy<Any>(() => deliver({}, lambda as never))
  const allowed = allowedTo('deliver')
  expect(used.filter((action) => !allowed.includes(action))).toEqual([])
  expect(answer.stopped).toBeUndefined()
  return answer
}

/** What the library of the specification reads in a message; throws if its signature is wrong. */
export function verified({ headers, text }: Received, secret: string): unknown {
  const seconds = Number(headers['webhook-timestamp'])
  vi.useFakeTimers({ now: seconds * 1000, toFake: ['Date'] })
  try {
    return new Webhook(secret).verify(text, headers as Record<string, string>)
  } finally {
    vi.useRealTimers()
  }
}

/** The deliveries of a webhook, newest first. */
export async function deliveriesOf(webhook_id: string, query: Record<string, string> = {}): Promise<Any[]> {
  const { body } = await call('listDeliveries', { path: { webhook_id }, query })
  return body.deliveries
}
