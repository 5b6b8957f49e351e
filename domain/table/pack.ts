import type { Action } from './store.ts'
import { MOST_ACTIONS, mergeCounts, OUTBOX_PLACES, sizeOfTransaction } from './transactions.ts'

// Many pieces of work in as few transactions as possible: by actions and by bytes.

/**
 * How many pieces fit into one transaction, where `each` is how many actions and events one piece takes, and `besides` how many
 * there are besides the pieces.
 */
export const mostThatFit = ({
  each,
  besides,
  hasEvents,
}: {
  each: number
  besides: number
  hasEvents: boolean
}): number => Math.floor((MOST_ACTIONS - besides - (hasEvents ? OUTBOX_PLACES : 0)) / each)

/** DynamoDB takes 4 MB. */
const MOST_TRANSACTION_BYTES = 3_500_000

/**
 * About how many bytes an action adds to a transaction. A condition may hold the record as it was read, so a record is counted
 * twice in a put with a condition. DynamoDB counts what a deletion removes, too, and the hint of a list holds the record again: so a
 * deletion counts its event four times.
 */
function bytesOf(action: Action): number {
  const event = action.event ? sizeOf(action.event) : 0
  if ('put' in action) return sizeOf(action.put) * (action.if ? 2 : 1) + event
  return 500 + event * ('delete' in action ? 4 : 1)
}

const sizeOf = (value: object): number => Buffer.byteLength(JSON.stringify(value))

/** How full to pack: at most `most` actions, and `spare` fewer, as the caller adds some. */
type Filling = { most?: number | undefined; spare?: number }

/**
 * Packs pieces of work into transactions, in order. Each transaction has as many whole pieces as fit, their events included.
 * Counts of several pieces in one record become one action. `actionsOf` gets the number of the transaction, to choose a shard.
 */
export function* pack<T>(
  all: Iterable<T>,
  actionsOf: (piece: T, transaction: number) => readonly Action[],
  { most = MOST_ACTIONS, spare = 0 }: Filling = {},
): Generator<{ pieces: T[]; actions: Action[] }> {
  const room = Math.min(most, MOST_ACTIONS) - spare
  let batch: { pieces: T[]; actions: Action[] } = { pieces: [], actions: [] }
  let [bytes, nth] = [0, 0]
  for (const piece of all) {
    let own = actionsOf(piece, nth)
    const size = own.reduce((sum, action) => sum + bytesOf(action), 0)
    const combined = mergeCounts([...batch.actions, ...own])
    if (combined && sizeOfTransaction(combined) <= room && bytes + size <= MOST_TRANSACTION_BYTES) {
      batch = { pieces: [...batch.pieces, piece], actions: combined }
      bytes += size
    } else {
      if (batch.pieces.length > 0) {
        yield batch
        own = actionsOf(piece, ++nth)
      }
      batch = { pieces: [piece], actions: mergeCounts(own) ?? [...own] }
      bytes = size
    }
  }
  if (batch.pieces.length > 0) yield batch
}
