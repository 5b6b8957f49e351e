import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { isLoopback } from '../../domain/webhooks/address.ts'
import { type Reach, reachOf, targetFault } from '../../domain/webhooks/reach.ts'
import { send } from '../../domain/webhooks/send.ts'
import { authority, certificates } from './certificates.ts'

// Real servers on this machine, most of them hostile. The name `hook.example` leads to them.

const running: { server: Server; sockets: Set<Socket> }[] = []
afterEach(async () => {
  for (const { server, sockets } of running.splice(0)) {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})

/** The port of a server that ends with the test. `connections` counts those that it was sent. */
async function listen(server: Server): Promise<{ port: number; connections: () => number }> {
  const sockets = new Set<Socket>()
  let count = 0
  server.on('connection', (socket) => {
    count++
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.on('tlsClientError', () => {})
  running.push({ server, sockets })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { port: (server.address() as AddressInfo).port, connections: () => count }
}
const https = (answer: RequestListener, kind: keyof typeof certificates = 'good') =>
  listen(createHttpsServer(certificates[kind], answer))
/** A server that speaks what it likes. */
const tcp = (speak: (socket: Socket) => void) => listen(createTcpServer(speak))

const here: Reach = {
  lookUp: async () => [{ address: '127.0.0.1', family: 4 }],
  isAllowed: isLoopback,
  isLocal: false,
  deadline: 60_000,
  ca: authority,
}
const hasty: Reach = { ...here, deadline: 150 }
const local: Reach = { ...here, isLocal: true }
const message = { headers: { 'webhook-id': 'one' }, body: JSON.stringify({ text: 'Zoë 🚀' }) }
const at = (port: number, path = '/hooks?x=1') => `https://hook.example:${port}${path}`

describe('a message', () => {
  it('is posted as it is, to the name, and delivered by any 2xx', async () => {
    const seen: unknown[] = []
    const { port } = await https(async (request, answer) => {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      const { method, url, headers } = request
      seen.push({ method, url, headers, body })
      answer.writeHead(204).end()
    })
    expect(await send(at(port), message, here)).toMatchObject({ status: 204, fault: null })
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/hooks?x=1',
        body: message.body,
        headers: {
          host: `hook.example:${port}`,
          connection: 'close',
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(message.body)),
          'user-agent': 'Rollcall-Webhooks/1',
          'webhook-id': 'one',
        },
      },
    ])
  })

  it.each([
    [200, null],
    [299, null],
    [300, 'answered 300: redirects are not followed'],
    [404, 'answered 404'],
    [410, 'answered 410'],
    [500, 'answered 500'],
  ])('answered with %i: %s', async (status, fault) => {
    const { port } = await https((_request, answer) => answer.writeHead(status).end())
    expect(await send(at(port), message, here)).toMatchObject({ status, fault })
  })

  it('is sent on a new connection each time', async () => {
    const { port, connections } = await https((_request, answer) => answer.end())
    for (const _ of [1, 2, 3]) await send(at(port), message, here)
    expect(connections()).toBe(3)
  })

  it('tells when the receiver wants the next one', async () => {
    const { port } = await https((_request, answer) => answer.writeHead(429, { 'retry-after': '120' }).end())
    expect(await send(at(port), message, here)).toMatchObject({ status: 429, retryAfter: '120' })
  })

  it('goes past proxies that the environment names', async () => {
    const proxy = await tcp((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'))
    const { port } = await https((_request, answer) => answer.writeHead(202).end())
    const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']
    for (const name of names) process.env[name] = name.startsWith('NODE') ? '1' : `http://127.0.0.1:${proxy.port}`
    expect(await send(at(port), message, here)).toMatchObject({ status: 202 })
    expect(proxy.connections()).toBe(0)
  })
})

describe('a hostile server', () => {
  it('cannot send us elsewhere by a redirect', async () => {
    const inner = await https((_request, answer) => answer.end())
    const { port } = await https((_request, answer) => answer.writeHead(307, { location: at(inner.port) }).end())
    expect(await send(at(port), message, here)).toMatchObject({ status: 307 })
    expect(inner.connections()).toBe(0)
  })

  it('cannot hold us by an answer that never comes', async () => {
    const { port } = await https(() => {})
    expect(await send(at(port), message, hasty)).toMatchObject({ status: null, fault: 'no answer in 0.15 s' })
  })

  it('cannot hold us by a connection that says nothing', async () => {
    const { port } = await tcp(() => {})
    expect(await send(at(port), message, hasty)).toMatchObject({ status: null, fault: 'no answer in 0.15 s' })
  })

  it('cannot hold us by headers that come a byte at a time', async () => {
    const { port } = await tcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ')
      const drip = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(drip))
    })
    const url = `http://127.0.0.1:${port}/`
    expect(await send(url, message, { ...hasty, isLocal: true })).toMatchObject({ fault: 'no answer in 0.15 s' })
  })

  it('cannot hold us by interim answers without end', async () => {
    const { port } = await tcp((socket) => {
      const drip = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20)
      socket.on('close', () => clearInterval(drip))
    })
    const url = `http://127.0.0.1:${port}/`
    expect(await send(url, message, { ...hasty, isLocal: true })).toMatchObject({ fault: 'no answer in 0.15 s' })
  })

  it('cannot hold us by a slow body: the status decides', async () => {
    const { port } = await https((_request, answer) => {
      answer.writeHead(200)
      const drip = setInterval(() => answer.write('x'), 20)
      answer.on('close', () => clearInterval(drip))
    })
    expect(await send(at(port), message, here)).toMatchObject({ status: 200, fault: null })
  })

  it('cannot fill our memory by a large body', async () => {
    let sent = 0
    const closed = Promise.withResolvers<void>()
    const { port } = await https((_request, answer) => {
      answer.on('error', () => {})
      answer.on('close', () => closed.resolve())
      answer.writeHead(200)
      const chunk = Buffer.alloc(65_536)
      const more = (): void => {
        while (!answer.destroyed && sent < 10_000_000) {
          sent += chunk.length
          if (!answer.write(chunk)) return void answer.once('drain', more)
        }
        if (!answer.destroyed) answer.end()
      }
      more()
    })
    expect(await send(at(port), message, here)).toMatchObject({ status: 200, fault: null })
    await closed.promise
    expect(sent).toBeLessThan(10_000_000)
  })

  it('cannot send headers without end', async () => {
    const { port } = await tcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const line = `x-more: ${'x'.repeat(1000)}\r\n`
      const more = setInterval(() => socket.write(line.repeat(10)), 1)
      socket.on('close', () => clearInterval(more))
    })
    const url = `http://127.0.0.1:${port}/`
    expect(await send(url, message, local)).toMatchObject({ status: null, fault: 'more than 16 kB of headers' })
  })

  it.each([
    ['SSH-2.0-OpenSSH\r\n', 'the answer is not HTTP'],
    ['HTTP/1.1 200 OK\r\nbad header\r\n\r\n', 'the answer is not HTTP'],
  ])('that speaks something else: %j', async (text, fault) => {
    const { port } = await tcp((socket) => socket.end(text))
    expect(await send(`http://127.0.0.1:${port}/`, message, local)).toMatchObject({ status: null, fault })
  })

  it('cannot take the connection for another protocol', async () => {
    const { port } = await tcp((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    )
    const attempt = await send(`http://127.0.0.1:${port}/`, message, local)
    expect(attempt).toMatchObject({ status: 101, fault: 'answered 101' })
  })

  it('that closes the connection has not taken the message', async () => {
    const { port } = await tcp((socket) => socket.destroy())
    const fault = 'connection closed before an answer'
    expect(await send(at(port), message, here)).toMatchObject({ status: null, fault })
    expect(await send(`http://127.0.0.1:${port}/`, message, local)).toMatchObject({ status: null, fault })
  })

  it('that does not listen', async () => {
    const { port } = await tcp(() => {})
    running.pop()?.server.close()
    expect(await send(at(port), message, here)).toMatchObject({ status: null, fault: 'connection refused' })
  })
})

describe('a certificate', () => {
  it.each([
    ['expired', 'certificate expired'],
    ['early', 'certificate not valid yet'],
    ['ofAnotherName', 'certificate of another name'],
    ['selfSigned', 'certificate of an unknown authority'],
  ] as const)('%s: %s', async (kind, fault) => {
    const bodies: string[] = []
    const { port } = await https((request, answer) => {
      request.on('data', (chunk) => bodies.push(String(chunk)))
      answer.end()
    }, kind)
    expect(await send(at(port), message, here)).toMatchObject({ status: null, fault })
    expect(bodies).toEqual([])
  })

  it('of an authority that nobody knows is refused, whatever the environment says', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    const { port } = await https((_request, answer) => answer.end())
    const { ca: _, ...strict } = here
    const attempt = await send(at(port), message, strict)
    expect(attempt).toMatchObject({ status: null, fault: 'certificate of an unknown authority' })
  })

  it('is not there', async () => {
    const { port } = await listen(createHttpServer((_request, answer) => answer.end()))
    expect(await send(at(port), message, here)).toMatchObject({ status: null, fault: 'no TLS connection' })
  })
})

describe('a name', () => {
  it('is looked up once for each attempt, and the connection goes to what was checked', async () => {
    const { port, connections } = await https((_request, answer) => answer.end())
    const answers = [
      [{ address: '127.0.0.1', family: 4 }],
      [{ address: '10.0.0.1', family: 4 }],
      [{ address: '127.0.0.1', family: 4 }],
    ]
    const lookUp = async () => answers.shift() ?? []
    expect(await send(at(port), message, { ...here, lookUp })).toMatchObject({ status: 200 })
    expect(answers).toHaveLength(2)
    expect(await send(at(port), message, { ...here, lookUp })).toMatchObject({ fault: 'the address is not public' })
    expect(connections()).toBe(1)
  })

  it.each([
    ['with one address that is not allowed', ['127.0.0.1', '10.0.0.1'], 'the address is not public'],
    ['with a mapped address', ['::ffff:10.0.0.1'], 'the address is not public'],
    ['without an address', [], 'the address is not public'],
  ])('%s', async (_what, addresses, fault) => {
    const { port, connections } = await https((_request, answer) => answer.end())
    const lookUp = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    expect(await send(at(port), message, { ...here, lookUp })).toMatchObject({ status: null, fault })
    expect(connections()).toBe(0)
  })

  it.each([
    ['ENOTFOUND', 'the name has no address'],
    ['EAI_AGAIN', 'the name cannot be looked up'],
  ])('whose look-up fails with %s', async (code, fault) => {
    const lookUp = () => Promise.reject(Object.assign(new Error(code), { code }))
    expect(await send(at(4443), message, { ...here, lookUp })).toMatchObject({ status: null, fault })
  })

  it('whose look-up takes for ever', async () => {
    const lookUp = () => new Promise<never>(() => {})
    expect(await send(at(4443), message, { ...hasty, lookUp })).toMatchObject({ fault: 'no answer in 0.15 s' })
  })

  it('whose look-up ends after the deadline is not connected to any more', async () => {
    const { port, connections } = await https((_request, answer) => answer.end())
    const found = Promise.withResolvers<{ address: string; family: number }[]>()
    const lookUp = () => found.promise
    expect(await send(at(port), message, { ...hasty, lookUp })).toMatchObject({ fault: 'no answer in 0.15 s' })
    found.resolve([{ address: '127.0.0.1', family: 4 }])
    expect(await send(at(port), message, here)).toMatchObject({ status: 200 })
    expect(connections()).toBe(1)
  })

  it('is judged when a webhook is registered, by the same rules', async () => {
    const privately: Reach = { ...reachOf({}), lookUp: async () => [{ address: '10.0.0.1', family: 4 }] }
    const publicly: Reach = { ...privately, lookUp: async () => [{ address: '1.1.1.1', family: 4 }] }
    const unknown: Reach = { ...privately, lookUp: () => Promise.reject(new Error()) }
    expect(await targetFault('https://hook.example/', publicly)).toBeUndefined()
    expect(await targetFault('https://hook.example/', privately)).toMatch(/public/)
    expect(await targetFault('https://hook.example/', unknown)).toMatch(/looked up/)
    expect(await targetFault('https://hook.example:22/', publicly)).toMatch(/port/)
  })
})

describe('what may be reached', () => {
  const addresses = ['1.1.1.1', '127.0.0.1', '::1', '10.0.0.1', '169.254.169.254']
  it('is the public internet', () => {
    const reach = reachOf({})
    expect(addresses.filter(reach.isAllowed)).toEqual(['1.1.1.1'])
    expect(reach).toMatchObject({ isLocal: false, deadline: 15_000 })
  })
  it('is also this machine on a laptop', () => {
    const reach = reachOf({ WEBHOOKS_TO_THIS_MACHINE: 'yes' })
    expect(addresses.filter(reach.isAllowed)).toEqual(['1.1.1.1', '127.0.0.1', '::1'])
    expect(reach.isLocal).toBe(true)
  })
  it('excludes a literal address and http elsewhere, even where they were stored', async () => {
    const fault = 'the address is not public'
    expect(await send('https://10.0.0.1/', message, { ...reachOf({}), deadline: 150 })).toMatchObject({ fault })
    expect(await send('http://127.0.0.1:3000/', message, reachOf({}))).toMatchObject({ fault })
  })
})
