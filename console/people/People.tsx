import type { ScreenProperties } from '../screens.ts'
import { isAdministrator, useMe } from '../shell/me.ts'
import { Directory } from './Directory.tsx'
import { ManagedPeople } from './ManagedPeople.tsx'

/** Administrators manage people; everybody else finds colleagues. */
export default function People({ query }: ScreenProperties) {
  return isAdministrator(useMe()) ? <ManagedPeople query={query} /> : <Directory query={query} />
}
