import { useState } from 'preact/hooks'
import { Page } from '../parts/Page.tsx'
import { serviceAddress } from '../session/config.ts'
import { useTexts } from '../texts/texts.ts'
import { Copied } from './Secret.tsx'
import { ServiceTokens } from './ServiceTokens.tsx'
import { Webhooks } from './Webhooks.tsx'

/** What connects this organisation with other software: directories, programs, receivers of events. */
export default function Connections() {
  const texts = useTexts()
  const [isForDirectory, setForDirectory] = useState(false)
  return (
    <Page title={texts.connections.title} intro={texts.connections.intro}>
      <Scim onToken={() => setForDirectory(true)} />
      <ServiceTokens isForDirectory={isForDirectory} onAsked={() => setForDirectory(false)} />
      <Webhooks />
    </Page>
  )
}

/** What Entra, Okta and other directories ask for. */
function Scim({ onToken }: { onToken: () => void }) {
  const texts = useTexts()
  return (
    <section class="card" aria-labelledby="scim">
      <h2 id="scim">{texts.connections.scim}</h2>
      <p>{texts.connections.scimIntro}</p>
      <Copied label={texts.connections.scimAddress} value={`${serviceAddress}/scim/v2`} />
      <ol>
        <li>
          {texts.connections.scimToken}
          <p>
            <button type="button" onClick={onToken}>
              {texts.connections.tokenForDirectory}
            </button>
          </p>
        </li>
        <li>
          {texts.connections.scimThere}
          <ul>
            <li>{texts.connections.scimEntra}</li>
            <li>{texts.connections.scimOkta}</li>
          </ul>
        </li>
      </ol>
    </section>
  )
}
