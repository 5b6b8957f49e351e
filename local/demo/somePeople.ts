import { fold } from '../../domain/base/words.ts'
import { type Culture, cultures } from './names.ts'

/** A person's name, its spelling in the username, and their culture. */
export type Person = { first_name: string; last_name: string; username: string; culture: Culture }

type Name = { written: string; spelled: string }
type Names = { culture: Culture; firstNames: Name[]; lastNames: Name[] }

const readName = (entry: string): Name => {
  const [written = '', spelled = written] = entry.replaceAll('_', ' ').split('|')
  const plain = fold(spelled).replace(/[’']/g, '')
  return { written, spelled: plain.replace(/[^a-z0-9]+/g, '-') }
}

const readNames = (list: string) => list.split(' ').map(readName)

const names: Names[] = cultures.map((culture) => ({
  culture,
  firstNames: readNames(culture.firstNames),
  lastNames: readNames(culture.lastNames),
}))

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T

/**
 * This many people, always the same: first every pair of names of each culture, then double family names. A number
 * makes usernames unique.
 */
export const somePeople = (count: number, from = 0): Person[] => {
  const taken = new Map<string, number>()
  return Array.from({ length: count }, (_, index) => {
    const { culture, firstNames, lastNames } = pick(names, from + index)
    const round = Math.floor((from + index) / names.length)
    const first = pick(firstNames, round)
    const last = lastName(lastNames, round, Math.floor(round / (firstNames.length * lastNames.length)))
    const spelled = `${first.spelled}.${last.spelled}`
    const times = (taken.get(spelled) ?? 0) + 1
    taken.set(spelled, times)
    const username = times === 1 ? spelled : `${spelled}${times}`
    return { first_name: first.written, last_name: last.written, username, culture }
  })
}

const lastName = (lastNames: Name[], round: number, lap: number): Name => {
  const one = pick(lastNames, round)
  if (lap === 0) return one
  const other = pick(lastNames, round + 1 + ((lap - 1) % (lastNames.length - 1)))
  return { written: `${one.written}-${other.written}`, spelled: `${one.spelled}-${other.spelled}` }
}
