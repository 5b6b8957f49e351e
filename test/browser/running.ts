import type { Service } from './service.ts'
import type { Look, Visit } from './visit.ts'

/** What all tests of a run share: one service with the demo, and one browser. */
export type Running = {
  service: () => Service
  /** Opens the console and signs in; with null the page to sign in is shown. The visit ends with the test, which fails on its faults. */
  visitAs: (as: string | null, look?: Partial<Look>) => Promise<Visit>
  /** A visit that others of the same person and look go on with: signing in takes a second. The test fails on its faults, too. */
  sharedVisit: (as: string, look?: Partial<Look>) => Promise<Visit>
}
