import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { documentClient } from '../../domain/table/documentClient.ts'
import { environment } from '../../handlers/middleware/environment.ts'
import { withoutWaits } from './faults.ts'

/** What a server does with every request. */
export type Behaviour =
  /** Takes it and never answers. */
  | 'hanging'
  /** Nothing listens there. */
  | 'refusing'
  /** Speaks no TLS, which is expected. */
  | 'plain'
  /** Answers, every request or only the first: it takes the others and never answers. */
  | { status: number; body: string; only?: 'first' }

/** A server that behaves like this, on loopback; `calls` counts connections, or requests where they are answered. */
export async function faultyServer(
  behaviour: Behaviour,
): Promise<{ url: string; calls: () => number; stop: () => void }> {
  const sockets: Socket[] = []
  let calls = 0
  const count = () => {
    calls++
  }
  const server: Server =
    typeof behaviour === 'string'
      ? createServer((socket) => {
          count()
          if (behaviour === 'plain') socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
        })
      : createHttpServer((_request, response) => {
          count()
          if (behaviour.only && calls > 1) return
          response.writeHead(behaviour.status, { 'content-type': 'application/x-amz-json-1.0' }).end(behaviour.body)
        })
  server.on('connection', (socket: Socket) => sockets.push(socket))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const stop = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  if (behaviour === 'refusing') stop()
  return { url: `${behaviour === 'plain' ? 'https' : 'http'}://127.0.0.1:${port}`, calls: () => calls, stop }
}

/** A tenth of the patience on AWS: waiting longer for a missing answer tests nothing more. */
const SHORT = { requestTimeout: 100, throwOnRequestTimeout: true }

/**
 * Lets handlers work with a database that behaves like this. They soon give up a request that hangs, unless they are
 * patient; any other has its answer however busy this machine is.
 */
export async function withDatabase<T>(
  behaviour: Behaviour,
  work: (calls: () => number) => Promise<T>,
  isPatient = false,
): Promise<T> {
  const { url, calls, stop } = await faultyServer(behaviour)
  const faulty = documentClient({ DYNAMODB_ENDPOINT: url }, behaviour === 'hanging' && !isPatient ? SHORT : {})
  const { client } = environment
  environment.client = () => faulty
  try {
    return await withoutWaits(() => work(calls))
  } finally {
    environment.client = client
    faulty.destroy()
    stop()
  }
}

/** Lets handlers work with a database that takes every call and answers none. */
export const inSilence = <T>(work: () => Promise<T>): Promise<T> => withDatabase('hanging', work, true)
