import type { userSorts } from '../../schemas/userRecords.ts'
import { compareBytes } from '../base/text.ts'
import * as places from '../table/places.ts'
import { type Profile, placesOf, profileOf } from './userItems.ts'
import type { UserRecord } from './userRecord.ts'

export type UserSort = (typeof userSorts)[number]
export type Sorting = { field: UserSort; descending: boolean }

/** What a user is sorted by. Status, role and last change stand in the record only. */
export type Sortable = { id: string; profile: Profile; record?: UserRecord }

/** `LAST_NAME_DESC` taken apart. */
export function sortings(sort: readonly string[] | undefined): Sorting[] {
  return (sort ?? ['LAST_NAME_ASC']).map((value) => ({
    field: value.replace(/_(ASC|DESC)$/, '') as UserSort,
    descending: value.endsWith('_DESC'),
  }))
}

/** The index whose order a field is; status and role order by putting whole lists one behind the other. */
export const indexOf: Partial<Record<UserSort, string>> = {
  LAST_NAME: 'by_last_name',
  FIRST_NAME: 'by_first_name',
  USERNAME: 'by_username_or_change',
  EMAIL: 'by_email',
  DEPARTMENT: 'by_department',
  LOCATION: 'by_location_or_due',
  CREATED_AT: 'by_created_at',
  UPDATED_AT: 'by_updated_at',
}

/** Sorting by these needs the record, not only the profile. */
export const needsRecord = ({ field }: Sorting): boolean =>
  field === 'STATUS' || field === 'ROLE' || field === 'UPDATED_AT'

/** The value of one field, as its index would have it; undefined sorts last either way. */
function fieldValue({ profile, record }: Sortable, field: UserSort): string | undefined {
  if (field === 'STATUS') return record?.status
  if (field === 'ROLE') return record?.role
  const index = indexOf[field] as keyof ReturnType<typeof placesOf>
  const place = placesOf(profile, { id: '', updated_at: record?.updated_at ?? '' })[index]
  const lead = places.leadOf(place)
  return lead.startsWith(places.MISSING) ? undefined : lead
}

/** Orders users by several fields; ties by id, and last names by first names, in the direction of the last field. */
export function comparator(sorts: readonly Sorting[]): (a: Sortable, b: Sortable) => number {
  const last = sorts.at(-1) as Sorting
  const fields = last.field === 'LAST_NAME' ? [...sorts, { ...last, field: 'FIRST_NAME' as const }] : sorts
  return (a, b) => {
    for (const { field, descending } of fields) {
      const order = compareValues(fieldValue(a, field), fieldValue(b, field), descending)
      if (order !== 0) return order
    }
    return compareBytes(a.id, b.id) * (last.descending ? -1 : 1)
  }
}

function compareValues(a: string | undefined, b: string | undefined, descending: boolean): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return compareBytes(a, b) * (descending ? -1 : 1)
}

/** A record as something to sort. */
export const sortableOf = (record: UserRecord): Sortable => ({ id: record.id, profile: profileOf(record), record })

/** The values of a field that partition users, in the order asked for. */
export const inOrder = <T extends string>(values: readonly T[], descending: boolean): T[] =>
  [...values].sort((a, b) => compareBytes(a, b) * (descending ? -1 : 1))
