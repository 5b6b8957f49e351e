import type { Context } from '../request/context.ts'
import { settingsOf } from './organisation.ts'

/** Reads the settings of the organisation. */
export async function getOrganisationSettings(context: Context) {
  const settings = settingsOf(await context.organisation())
  return { status: 200, body: settings, own: settings }
}
