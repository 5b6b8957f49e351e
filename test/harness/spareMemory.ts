import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** How many blocks of one size dynoxide's allocator takes from the system at once: 24, and some more or less for some sizes. */
const GROUP = 24

/** How many groups are kept for the block that the headers of a request need: it has 104 bytes for each header. */
const kept: [headers: number, groups: number][] = [
  [6, 32], // 672 bytes, as each JSON object needs
  [2, 4], // 240 bytes, as those below what else a request needs often
  [3, 4], // 320
  [5, 4], // 576
  [7, 4], // 800
  [11, 4], // 1,152
  [26, 4], // 2,720
]

/**
 * Lets a dynoxide keep spare memory. Its allocator (musl's) takes groups of blocks from the system, and gives a group back
 * once all of its blocks are free. Nearly every request takes and gives back some, which costs more than answering it. A
 * request without its body keeps the block of its headers. So many of those begin, and all but one for each group are given
 * up. The processor time halves in the first minutes. Later less is saved, as something takes the blocks that were free.
 * @returns ends those that are left, as a dynoxide that is stopped waits for them
 */
export async function spareMemory(endpoint: string): Promise<() => void> {
  const port = Number(new URL(endpoint).port)
  const [keeping, spare]: [Socket[], Socket[]] = [[], []]
  for (const [headers, groups] of kept)
    for (let block = 0; block < groups * GROUP; block++) {
      // An error before it is connected is thrown below; later a server that ends may reset it.
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(withoutBody(headers))
      socket.unref()
      const sockets = block % GROUP === 0 ? keeping : spare
      sockets.push(socket)
    }
  await setTimeout(UNTIL_READ_MS)
  for (const socket of spare) socket.destroy()
  return () => {
    for (const socket of keeping) socket.destroy()
  }
}

const UNTIL_READ_MS = 100

const withoutBody = (headers: number): string => {
  const others = Array.from({ length: headers - 2 }, (_, index) => `x-${index}: 0\r\n`)
  return `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\n${others.join('')}\r\n`
}
