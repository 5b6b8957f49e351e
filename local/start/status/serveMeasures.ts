import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Measured } from './measures.ts'

/** Collects the values of the page /status, and serves them to the page's function, which runs in another process. */
export const startStatus = async (): Promise<{ measured: Measured; source: string; stop: () => Promise<void> }> => {
  const measured = new Measured()
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(measured.shown()))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    measured,
    source: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
