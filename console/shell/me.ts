import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Schemas } from '../data/api.ts'

export type Me = Schemas['Me']

export const MeContext = createContext<Me | undefined>(undefined)

type Settings = Schemas['OrganisationSettings']

/** Shows settings that were saved here in the whole page. */
export const ShowSettingsContext = createContext<(settings: Settings) => void>(() => {})

/** Who is signed in, after the organisation's settings were saved. Other calls answer the new ones only some seconds later. */
export const withSettings = (me: Me, { features, languages, default_language }: Settings): Me => ({
  ...me,
  features,
  languages,
  default_language,
})

/** Who is signed in, with the organisation's features and languages. */
export function useMe(): Me {
  const me = useContext(MeContext)
  if (!me) throw new Error('Screens are shown to people who are signed in')
  return me
}

export const isAdministrator = ({ role }: Pick<Me, 'role'>): boolean => role === 'ADMIN'
