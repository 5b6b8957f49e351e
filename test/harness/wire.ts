import { connect, type Socket } from 'node:net'
import { HttpResponse } from '@smithy/core/protocols'

// How tests reach dynoxide. The SDK's own way takes a quarter of the processor time of a test: its client of HTTP, and the
// schemas that it holds each attribute against. All else of a request is the SDK's: middlewares, values, errors. Its own way
// is tested where the service runs as a process, and with DynamoDB Local.

type Request = { method: string; path: string; headers: Record<string, string>; body?: string | Uint8Array }
type Waiting = { resolve: (answer: { response: HttpResponse }) => void; reject: (error: Error) => void }

const HEAD_ENDS = '\r\n\r\n'

/** A request handler for the SDK which speaks HTTP/1.1 with a server that gives the length of each answer. */
export function wire(endpoint: string) {
  const { hostname, port, host } = new URL(endpoint)
  const free: Connection[] = []
  return {
    async handle(request: Request, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
      if (abortSignal?.aborted) throw aborted()
      const connection =
        free.pop() ?? new Connection(connect({ host: hostname, port: Number(port), noDelay: true }), free)
      const abort = () => connection.fail(aborted())
      abortSignal?.addEventListener('abort', abort, { once: true })
      try {
        return await connection.send(textOf(request, host))
      } finally {
        abortSignal?.removeEventListener('abort', abort)
      }
    },
    destroy: () => {
      for (const connection of free.splice(0)) connection.fail(new Error('The client is destroyed'))
    },
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
  }
}

const aborted = (): Error => Object.assign(new Error('Request aborted'), { name: 'AbortError' })

function textOf({ method, path, headers, body = '' }: Request, host: string): string {
  const lines = Object.entries({ ...headers, host }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

/** A connection with one request at a time. It is among the free ones when it has none. */
class Connection {
  #socket: Socket
  #free: Connection[]
  #waiting: Waiting | undefined
  #chunks: Buffer[] = []
  #length = 0
  /** Of the whole answer, once its head has come. */
  #wanted = Number.POSITIVE_INFINITY
  #head: Pick<HttpResponse, 'statusCode' | 'headers'> & { length: number } = { statusCode: 0, headers: {}, length: 0 }

  constructor(socket: Socket, free: Connection[]) {
    this.#socket = socket
    this.#free = free
    socket.on('data', (chunk) => this.#take(chunk))
    socket.on('error', (error) => this.fail(error))
    socket.on('close', () => this.fail(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })))
  }

  send(text: string): Promise<{ response: HttpResponse }> {
    this.#socket.ref()
    this.#socket.write(text)
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
    })
  }

  /** Ends the connection, and the request that it has. */
  fail(error: Error): void {
    const at = this.#free.indexOf(this)
    if (at >= 0) this.#free.splice(at, 1)
    this.#socket.destroy()
    this.#waiting?.reject(error)
    this.#waiting = undefined
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#wanted === Number.POSITIVE_INFINITY) this.#readHead()
    if (this.#length < this.#wanted) return
    const { statusCode, headers, length } = this.#head
    const body = this.#whole().subarray(length)
    const { resolve } = this.#waiting ?? {}
    this.#waiting = undefined
    this.#chunks = []
    this.#length = 0
    this.#wanted = Number.POSITIVE_INFINITY
    // A process may end while connections are open.
    this.#socket.unref()
    this.#free.push(this)
    resolve?.({ response: new HttpResponse({ statusCode, headers, body }) })
  }

  #whole(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0] as Buffer
  }

  #readHead(): void {
    const whole = this.#whole()
    const end = whole.indexOf(HEAD_ENDS)
    if (end < 0) return
    const [status = '', ...lines] = whole.toString('latin1', 0, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const length = end + HEAD_ENDS.length
    this.#head = { statusCode: Number(status.split(' ')[1]), headers, length }
    this.#wanted = length + Number(headers['content-length'])
    if (Number.isNaN(this.#wanted)) this.fail(new Error(`An answer without its length: ${status}`))
  }
}

type Protocol = { serializer: object; deserializer: object }

/** Lets the SDK write and read values as the JSON that they are: those of a table have no bytes, which DynamoDB writes as base64. */
export function asPlainJson(protocol: Protocol): void {
  let value: unknown
  protocol.serializer = {
    write: (_schema: unknown, written: unknown) => {
      value = written
    },
    flush: () => JSON.stringify(value),
    setSerdeContext: () => {},
  }
  protocol.deserializer = {
    read: (_schema: unknown, { buffer, byteOffset, byteLength }: Uint8Array) =>
      JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString()),
    setSerdeContext: () => {},
  }
}
