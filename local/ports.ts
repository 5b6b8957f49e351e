import { createServer } from 'node:net'

/** A port that is free at this moment. */
export const freePort = async (): Promise<number> => {
  const port = await listenOnce(0)
  if (port === undefined) throw new Error('This machine has no free port.')
  return port
}

/** Fails with one line that names the port and the variable that changes it. */
export const requireFreePort = async (port: number, variable: string): Promise<void> => {
  if (!(await isFree(port))) throw new Error(`Port ${port} is taken. Set ${variable} to another one.`)
}

// Two probes: on some systems a listener on 127.0.0.1 does not block another one on all addresses.
const isFree = async (port: number) =>
  (await listenOnce(port, '127.0.0.1')) !== undefined && (await listenOnce(port)) !== undefined

const listenOnce = (port: number, host?: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    )
    server.listen(port, host, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
    })
  })
