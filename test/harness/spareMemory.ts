import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** How many blocks of one size dynoxide's allocator takes from the system at once: 24, and some more or less for some sizes. */
const GROUP = 24

/** How many groups are kept for the blocks that the headers of a request need, 104 bytes for each header. */
const groupsOfHeaders: [headers: number, groups: number][] = [
  // 672 bytes, which each JSON object needs as well.
  [6, 32],
  // 240, 320, 576, 800, 1,152 and 2,720 bytes: what else a request needs often.
  ...[2, 3, 5, 7, 11, 26].map((headers): [number, number] => [headers, 4]),
]

/**
 * Lets a dynoxide keep spare memory, which halves its processor time. Its allocator (musl's) takes groups of blocks from the
 * system, and gives each back when all of its blocks are free: so nearly every request takes and gives back some, which
 * costs more than answering it. A request without its body keeps the block of its headers: so many of them begin, and all but
 * one for each group are given up.
 * @returns ends those that are left, as a dynoxide that is stopped waits for them
 */
export async function spareMemory(endpoint: string): Promise<() => void> {
  const port = Number(new URL(endpoint).port)
  const [keeping, spare]: [Socket[], Socket[]] = [[], []]
  for (const [headers, groups] of groupsOfHeaders)
    for (let block = 0; block < groups * GROUP; block++) {
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
