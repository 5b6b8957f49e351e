import { expect, it } from 'vitest'
import { type Me, withSettings } from '../../console/shell/me.ts'

it('saved settings count for who is signed in', () => {
  const features = { tasks: false, user_deactivation: true, people_directory: true }
  const settings = { default_language: 'de-DE', languages: ['de-DE', 'fr-FR'], features }
  const me = { id: 'ada', features: { ...features, tasks: true }, languages: ['en-GB'], default_language: 'en-GB' }
  expect(withSettings(me as Me, settings)).toEqual({ id: 'ada', ...settings })
})
