import type { Texts } from '../texts/texts.ts'

/** A moment in the reader's zone and language. */
export const momentText = (at: string, { locale }: Texts): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at))

export const dateText = (at: string, { locale }: Texts): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(new Date(at))

/** A date without a time, such as `2026-11-27`, is the same day everywhere. */
export const plainDateText = (date: string, { locale }: Texts): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`))

/** With seconds and zone, and as the service has stored it. */
export const exactText = (at: string, { locale }: Texts): string =>
  `${new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' }).format(new Date(at))} · ${at}`
