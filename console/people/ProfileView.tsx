import { plainDateText } from '../data/moments.ts'
import { Facts } from '../parts/Facts.tsx'
import { Time } from '../parts/Time.tsx'
import { languageName } from '../texts/languageName.ts'
import { type Texts, useTexts } from '../texts/texts.ts'
import { attributeValue, type User } from './peopleQuery.ts'

export type Attribute = { name: string; title: string; type: 'TEXT' | 'PHONE_NUMBER' | 'DATE' }

const shownValue = (value: string, type: Attribute['type'], texts: Texts) =>
  type === 'DATE' && value ? plainDateText(value, texts) : value

/** The profile as it is. */
export function ProfileView({ user, attributes }: { user: User; attributes: readonly Attribute[] }) {
  const texts = useTexts()
  const language = user.preferred_language
  return (
    <>
      <Facts
        facts={[
          [texts.person.username, user.username],
          [texts.person.email, user.email && <Email address={user.email} />],
          [texts.people.role, texts.role[user.role]],
          [texts.person.group, user.primary_user_group?.title?.text],
          [texts.person.language, language ? languageName(language, texts) : texts.person.languageDefault],
          [texts.person.externalId, user.external_id],
          [texts.person.id, <code key="id">{user.id}</code>],
          [
            texts.person.tags,
            user.tags.length > 0 && (
              <ul class="tags">
                {user.tags.map(({ name }) => (
                  <li key={name}>{name}</li>
                ))}
              </ul>
            ),
          ],
          [texts.person.created, <Time key="created" at={user.created_at} />],
          [texts.person.updated, <Time key="updated" at={user.updated_at} />],
        ]}
      />
      <h3>{texts.person.attributes}</h3>
      <Facts
        facts={attributes.map(({ name, title, type }) => [title, shownValue(attributeValue(user, name), type, texts)])}
      />
    </>
  )
}

/** An e-mail address. A line that is too short for it ends at the @, and not within a word. */
function Email({ address }: { address: string }) {
  const at = address.lastIndexOf('@')
  return (
    <a href={`mailto:${address}`}>
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
    </a>
  )
}
