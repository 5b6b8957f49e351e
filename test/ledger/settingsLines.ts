import { type Line, linesOf } from './line.ts'

/** What the endpoints of settings cost. */
export const settingsLines: readonly Line[] = [
  ...linesOf('getCalendarSettings', [{ scenario: 'as they are', costs: [1, 1, 3, 0] }]),
  ...linesOf('updateCalendarSettings', [
    { scenario: 'for the first time', request: { body: { week_start: 'SUNDAY' } }, costs: [2, 2, 3, 6] },
    { scenario: 'again', request: { body: { time_zone: 'Europe/Berlin' } }, costs: [2, 2, 3, 6] },
    { scenario: 'nothing', request: { body: { time_zone: 'Europe/Berlin' } }, costs: [1, 1, 3, 0] },
  ]),
  ...linesOf('viewCalendarSettings', [{ scenario: 'by anybody', request: { as: 'plain' }, costs: [1, 1, 3, 0] }]),
  ...linesOf('getOrganisationSettings', [{ scenario: 'as they are', costs: [1, 1, 2, 0] }]),
  ...linesOf('updateOrganisationSettings', [
    {
      scenario: 'another language',
      request: { body: { languages: ['en-GB', 'de-DE', 'fr-FR', 'pl'] } },
      costs: [2, 2, 2, 6],
    },
    { scenario: 'nothing', request: { body: {} }, costs: [1, 1, 2, 0] },
  ]),
]
