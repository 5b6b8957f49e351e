import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Schemas } from '../data/api.ts'

export type Me = Schemas['Me']

export const MeContext = createContext<Me | undefined>(undefined)

/** Who is signed in, with the organisation's features and languages. */
export function useMe(): Me {
  const me = useContext(MeContext)
  if (!me) throw new Error('Screens are shown to people who are signed in')
  return me
}

export const isAdministrator = ({ role }: Pick<Me, 'role'>): boolean => role === 'ADMIN'
