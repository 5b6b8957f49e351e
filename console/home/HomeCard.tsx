import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { Read } from '../data/useRead.ts'
import { Loaded } from '../parts/Loaded.tsx'

type Properties<T> = {
  title: string
  read: Read<readonly T[]>
  /** What it says if there is nothing. */
  none: string
  /** One line of the card. */
  line: (item: T) => ComponentChildren
  keyOf: (item: T) => string
  /** Under the lines: a way to all of them. */
  more?: ComponentChildren
}

/** A card of the first screen: a few lines of one kind. */
export function HomeCard<T>({ title, read, none, line, keyOf, more }: Properties<T>) {
  const id = useId()
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <Loaded read={read}>
        {(items) =>
          items.length === 0 ? (
            <p class="none">{none}</p>
          ) : (
            <ul class="lines">
              {items.map((item) => (
                <li key={keyOf(item)}>{line(item)}</li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {more}
    </section>
  )
}
