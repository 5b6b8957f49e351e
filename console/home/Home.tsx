import { useMemo, useState } from 'preact/hooks'
import { Page } from '../parts/Page.tsx'
import { isAdministrator, useMe } from '../shell/me.ts'
import { useTexts } from '../texts/texts.ts'
import { NextSteps } from './NextSteps.tsx'
import { OwnGroups } from './OwnGroups.tsx'
import { OwnTasks } from './OwnTasks.tsx'
import { PlansToDecide } from './PlansToDecide.tsx'
import { Tokens } from './Tokens.tsx'
import { Webhooks } from './Webhooks.tsx'
import { useOpenWork, WorkUnderWay } from './WorkUnderWay.tsx'
import { type WaitingCard, WaitingContext, waitingCards } from './waiting.ts'

/** The first screen: what waits for this person, and where to go next. */
export default function Home() {
  const texts = useTexts()
  const me = useMe()
  const isAdmin = isAdministrator(me)
  const [counts, setCounts] = useState<Partial<Record<WaitingCard, number | undefined>>>({})
  const shown = waitingCards.filter((card) => (card === 'tasks' ? me.features.tasks : isAdmin))
  const isQuiet = shown.every((card) => counts[card] === 0)
  const waiting = useMemo(
    () => ({
      isQuiet,
      onCount: (card: WaitingCard, count: number | undefined) => setCounts((before) => ({ ...before, [card]: count })),
    }),
    [isQuiet],
  )
  return (
    <Page title={texts.home.greeting(me.first_name)} intro={isQuiet ? undefined : texts.home.intro}>
      {isQuiet && <NextSteps isQuiet />}
      <WaitingContext.Provider value={waiting}>
        <div class="cards" hidden={isQuiet && isAdmin}>
          {me.features.tasks && <OwnTasks />}
          {isAdmin ? <OfAdministrators /> : <OwnGroups />}
        </div>
      </WaitingContext.Provider>
      {!isQuiet && <NextSteps isQuiet={false} />}
    </Page>
  )
}

function OfAdministrators() {
  const { work, toDecide } = useOpenWork()
  return (
    <>
      <PlansToDecide read={toDecide} />
      <WorkUnderWay read={work} />
      <Webhooks />
      <Tokens />
    </>
  )
}
