import { DAY_MS } from '../../domain/base/text.ts'
import type { DirectoryUser } from './importTypes.ts'
import { agencyHost, type Team, teams } from './organisation.ts'
import { type Person, somePeople } from './somePeople.ts'

const host = 'nordwind.example'
const people = 380

/** Logins that the start message and the README name. */
export const logins = { admin: 'admin', user: 'user', locked: 'locked', leaving: 'leaving' } as const

const tags = ['forklift-licence', 'mentor', 'night-shift', 'works-council', 'remote', 'apprentice']
const team = (index: number) => teams[(index * 5 + Math.floor(index / 20)) % teams.length] as Team
const onlyEvery = <T>(nth: number, index: number, value: T) => (index % nth === 0 ? value : undefined)

/** The users of the demo organisation: always the same, except for deadlines, which are after `now`. */
export const demoUsers = (now: Date): DirectoryUser[] => {
  const at = (days: number) => new Date(now.getTime() + days * DAY_MS).toISOString()
  const everybody = somePeople(people).map((person, index) => ({
    ...member(person, index),
    ...standing(index, at),
  }))
  return [...namedUsers(at), ...everybody.map(withoutAbsent)]
}

const member = ({ culture, ...name }: Person, index: number) => {
  const { id, title, jobs } = team(index)
  return {
    id: `user-${String(index + 1).padStart(3, '0')}`,
    external_id: `HR-${10_001 + index * 7}`,
    ...name,
    email: `${name.username}@${index % 19 === 13 ? agencyHost : host}`,
    role: index % 90 === 30 ? ('ADMIN' as const) : ('USER' as const),
    attributes: [
      { name: 'department', value: title[0] },
      { name: 'location', value: culture.location },
      { name: 'job_title', value: jobs[index % jobs.length] as string },
      { name: 'phone', value: `${culture.phone} ${1_000 + index}` },
      { name: 'date_of_joining', value: joined(index) },
      ...(index % 3 === 0 ? [{ name: 'cost_center', value: `CC-${4_100 + (index % 12) * 10}` }] : []),
    ],
    tags: onlyEvery(4, index, [{ name: tags[(index / 4) % tags.length] as string }]),
    profile_picture: onlyEvery(5, index, { file_id: `portrait-${index + 1}` }),
    primary_user_group_id: id,
  }
}

const joined = (index: number) =>
  new Date(Date.UTC(2004 + (index % 22), index % 12, 1 + (index % 28))).toISOString().slice(0, 10)

// Most are active. The divisors have no common factor with the number of cultures, so each status occurs in every
// culture.
const standing = (index: number, at: (days: number) => string) => {
  if (index % 90 === 30) return { status: 'ACTIVE' as const }
  if (index % 29 === 7) return { status: 'LOCKED' as const }
  if (index % 31 === 11) return { status: 'DEACTIVATED' as const }
  if (index % 37 === 5) return { status: 'PENDING_DELETION' as const, deletion_at: at(1 + (index % 13)) }
  if (index % 23 === 9) return { status: 'ACTIVE' as const, required_actions: ['UPDATE_PASSWORD', 'VERIFY_EMAIL'] }
  return { status: 'ACTIVE' as const }
}

const namedUsers = (at: (days: number) => string): DirectoryUser[] => {
  const login = (username: string, first_name: string, last_name: string): DirectoryUser => ({
    id: `demo-${username}`,
    username,
    first_name,
    last_name,
    email: `${username}@${host}`,
    attributes: [
      { name: 'department', value: 'IT' },
      { name: 'location', value: 'London' },
    ],
    primary_user_group_id: 'it',
    status: 'ACTIVE',
  })
  return [
    { ...login(logins.admin, 'Ada', 'Keller'), role: 'ADMIN' },
    login(logins.user, 'Robin', 'Lindgren'),
    { ...login(logins.locked, 'Lou', 'Ferreira'), status: 'LOCKED' },
    { ...login(logins.leaving, 'Sam', 'Okafor'), status: 'PENDING_DELETION', deletion_at: at(9) },
  ]
}

const withoutAbsent = (user: object) =>
  Object.fromEntries(Object.entries(user).filter(([, value]) => value !== undefined)) as DirectoryUser
