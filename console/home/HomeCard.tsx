import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useId } from 'preact/hooks'
import type { Reading } from '../data/useRead.ts'
import { Loaded } from '../parts/Loaded.tsx'
import { type WaitingCard, WaitingContext } from './waiting.ts'

type Properties<T> = {
  title: string
  /** Which card of what waits for somebody it is; without it the card is always there. */
  card?: WaitingCard
  read: Reading<readonly T[]>
  /** What it says if there is nothing. */
  none: string
  /** One line of the card. */
  line: (item: T) => ComponentChildren
  keyOf: (item: T) => string
  /** Under the lines: a way to all of them. */
  more?: ComponentChildren
}

/** A card of the first screen: a few lines of one kind. */
export function HomeCard<T>({ title, card, read, none, line, keyOf, more }: Properties<T>) {
  const id = useId()
  const { isQuiet, onCount } = useContext(WaitingContext)
  const count = read.problem === undefined ? read.data?.length : undefined
  useEffect(() => {
    if (card) onCount(card, count)
  }, [card, count])
  return (
    <section class="card" aria-labelledby={id} hidden={card !== undefined && isQuiet}>
      <h2 id={id}>{title}</h2>
      <Loaded read={read}>
        {(items) =>
          items.length === 0 ? (
            <p class="none">{none}</p>
          ) : (
            <>
              <ul class="lines">
                {items.map((item) => (
                  <li key={keyOf(item)}>{line(item)}</li>
                ))}
              </ul>
              {more && <p class="note">{more}</p>}
            </>
          )
        }
      </Loaded>
    </section>
  )
}
