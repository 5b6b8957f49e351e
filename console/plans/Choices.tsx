import { readAttributes } from '../data/attributes.ts'
import { useRead } from '../data/useRead.ts'
import { useTitles } from '../data/useTitles.ts'
import { Facts } from '../parts/Facts.tsx'
import { useTexts } from '../texts/texts.ts'
import { type Asked, titledIn } from './changeText.ts'
import { choicesOf } from './choicesText.ts'
import type { Plan } from './planQuery.ts'

/** What was chosen when the plan was made: who is meant and what is done, or what is done with the file. */
export function Choices({ plan }: { plan: Plan }) {
  const texts = useTexts()
  const nameOf = useTitles(titledIn(plan.request as Asked))
  const { data: attributes = [] } = useRead('attributes', readAttributes)
  const choices = choicesOf(plan, { texts, nameOf, attributes })
  if (choices.length === 0) return null
  return (
    <section class="card" aria-labelledby="choices">
      <h2 id="choices">{texts.plans.choices}</h2>
      <Facts facts={choices} />
    </section>
  )
}
