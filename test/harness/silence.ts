import { createServer, type Socket } from 'node:net'
import { documentClient } from '../../domain/table/dynamo.ts'
import { environment } from '../../handlers/middleware/environment.ts'

/** Lets handlers work with a database that takes every call and answers none. */
export async function inSilence<T>(work: () => Promise<T>): Promise<T> {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  const silent = documentClient({ DYNAMODB_ENDPOINT: `http://127.0.0.1:${port}` })
  const { client } = environment
  environment.client = () => silent
  try {
    return await work()
  } finally {
    environment.client = client
    silent.destroy()
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}
