import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyServiceOf, LOCAL_KEY } from '../../domain/webhooks/keyService.ts'

const secret = 'whsec_Zoë'

describe('on a laptop', () => {
  const { seal, unseal } = keyServiceOf({ WEBHOOK_KEY: LOCAL_KEY })
  it('a secret is encrypted for one webhook', async () => {
    const sealed = await seal(secret, 'one')
    expect(sealed).not.toContain(Buffer.from(secret).toString('base64'))
    expect(await unseal(sealed, 'one')).toBe(secret)
    expect(await seal(secret, 'one')).not.toBe(sealed)
    await expect(unseal(sealed, 'other')).rejects.toThrow()
    await expect(unseal(`${sealed.slice(0, -8)}AAAAAAA=`, 'one')).rejects.toThrow()
  })
})

it('a function without a key cannot keep secrets', () => {
  expect(() => keyServiceOf({})).toThrow('WEBHOOK_KEY')
})

describe('with KMS', () => {
  type Asked = { target: unknown; authorization: unknown; token: unknown; body: unknown }
  const asked: Asked[] = []
  let answer: [status: number, body: object] = [200, {}]
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const { authorization, 'x-amz-target': target, 'x-amz-security-token': token } = request.headers
    asked.push({ target, authorization, token, body: JSON.parse(text) })
    response.writeHead(answer[0]).end(JSON.stringify(answer[1]))
  })
  let env: NodeJS.ProcessEnv = {}
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    env = {
      WEBHOOK_KEY: 'arn:aws:kms:eu-central-1:123456789012:key/1',
      KMS_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'key',
      AWS_SESSION_TOKEN: 'token',
    }
  })
  afterAll(() => void server.close())

  it('the key, the secret and its webhook are sent, signed', async () => {
    answer = [200, { CiphertextBlob: 'c2VhbGVk' }]
    expect(await keyServiceOf(env).seal(secret, 'hook')).toBe('c2VhbGVk')
    answer = [200, { Plaintext: Buffer.from(secret).toString('base64') }]
    expect(await keyServiceOf(env).unseal('c2VhbGVk', 'hook')).toBe(secret)
    const authorization = expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/eu-central-1\/kms\/aws4_request/,
    )
    const common = { KeyId: env['WEBHOOK_KEY'], EncryptionContext: { webhook: 'hook' } }
    expect(asked).toEqual([
      {
        ...{ target: 'TrentService.Encrypt', authorization, token: 'token' },
        body: { ...common, Plaintext: Buffer.from(secret).toString('base64') },
      },
      {
        target: 'TrentService.Decrypt',
        authorization,
        token: 'token',
        body: { ...common, CiphertextBlob: 'c2VhbGVk' },
      },
    ])
  })

  it('a refusal says nothing of what was sent', async () => {
    answer = [400, { __type: 'AccessDeniedException', message: secret }]
    await expect(keyServiceOf(env).seal(secret, 'hook')).rejects.toThrow('KMS refuses to Encrypt: it answers 400')
  })
})
