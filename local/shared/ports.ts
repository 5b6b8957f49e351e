import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Systems assign higher ports to processes that ask for any: such a port could be taken before it is used. */
const NEVER_ASSIGNED = [20_000, 32_768] as const
const TRIES = 100

/** The ports that this process was given: one is still free when the next is chosen. */
const given = new Set<number>()

/** A free port, which stays free for the seconds until it is used. A process gets each only once. */
export const freePort = async (choose = () => randomInt(...NEVER_ASSIGNED)): Promise<number> => {
  for (let n = 0; n < TRIES; n++) {
    const port = choose()
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
  throw new Error('This machine has no free port.')
}

/** Fails with one line that names the port and the variable that changes it. */
export const requireFreePort = async (port: number, variable: string): Promise<void> => {
  if (!(await isFree(port))) throw new Error(`Port ${port} is taken. Set ${variable} to another one.`)
}

// Two probes: on some systems a listener on 127.0.0.1 does not block another one on all addresses.
const isFree = async (port: number) => (await canListen(port, '127.0.0.1')) && (await canListen(port))

const canListen = (port: number, host?: string) =>
  new Promise<boolean>((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
