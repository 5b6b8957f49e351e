import { describe, expect, it } from 'vitest'
import type { Client } from '../../client/src/index.ts'
import { nothingAsked, planOf } from '../../console/plans/fileRequest.ts'
import { sendFile } from '../../console/plans/sendFile.ts'

/** A service that notes its calls. `during`: what happens while one is answered. */
function service(during: (call: string) => unknown = () => {}) {
  const calls: string[] = []
  const answer = async (path: string, { signal }: { signal?: AbortSignal } = {}) => {
    const call = path.split('/').at(-1) ?? ''
    calls.push(call)
    await during(call)
    signal?.throwIfAborted()
    return { data: { id: 'p' } }
  }
  return { calls, client: { POST: answer, PUT: answer } as unknown as Client }
}

describe('sending a file', () => {
  const given = { body: planOf(nothingAsked, 'hr.csv'), file: new Blob(['a\r\n1\r\n']), rows: undefined }
  const send = (client: Client, { signal } = new AbortController()) =>
    sendFile(client, { ...given, signal, onProgress: () => {} })

  it('makes a plan and has the file checked', async () => {
    const { client, calls } = service()
    expect(await send(client)).toBe('p')
    expect(calls).toEqual(['plans', '{n}', 'check'])
  })

  it.each([
    ['plans', ['plans', 'cancel']],
    ['{n}', ['plans', '{n}', 'cancel']],
    ['check', ['plans', '{n}', 'check', 'cancel']],
  ])('that ends during %s cancels the plan', async (at, made) => {
    const ending = new AbortController()
    const { client, calls } = service((call) => call === at && ending.abort())
    await expect(send(client, ending)).rejects.toThrow(/abort/i)
    expect(calls).toEqual(made)
  })

  it('that fails cancels the plan, too', async () => {
    const { client, calls } = service((call) => {
      if (call === '{n}') throw new Error('Refused')
    })
    await expect(send(client)).rejects.toThrow('Refused')
    expect(calls).toEqual(['plans', '{n}', 'cancel'])
  })
})
