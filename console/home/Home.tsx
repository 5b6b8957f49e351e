import { linkTo } from '../address.ts'
import { LinkTo } from '../parts/LinkTo.tsx'
import { Page } from '../parts/Page.tsx'
import { screenAt } from '../screens.ts'
import { isAdministrator, useMe } from '../shell/me.ts'
import { useTexts } from '../texts/texts.ts'
import { OwnGroups } from './OwnGroups.tsx'
import { OwnTasks } from './OwnTasks.tsx'
import { PlansToDecide } from './PlansToDecide.tsx'
import { Tokens } from './Tokens.tsx'
import { Webhooks } from './Webhooks.tsx'
import { WorkUnderWay } from './WorkUnderWay.tsx'

/** The first screen: what waits for this person. */
export default function Home() {
  const texts = useTexts()
  const me = useMe()
  return (
    <Page title={texts.home.greeting(me.first_name)} intro={texts.home.intro}>
      <div class="cards">
        {me.features.tasks && <OwnTasks />}
        {isAdministrator(me) ? (
          <>
            <PlansToDecide />
            <WorkUnderWay />
            <Webhooks />
            <Tokens />
          </>
        ) : (
          <OwnGroups />
        )}
      </div>
      {screenAt(me, 'people') && (
        <p>
          <LinkTo to={linkTo('people')}>{texts.home.findPeople}</LinkTo>
        </p>
      )}
    </Page>
  )
}
