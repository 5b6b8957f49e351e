// What the types of events are called. Pure.
import type { Schemas } from '../data/api.ts'
import { type Texts, textOf } from '../texts/texts.ts'

/** A type of event in words; `webhook.test` is no event, and is sent all the same. */
export const eventText = (type: string, texts: Texts): string =>
  type === 'webhook.test' ? texts.connections.testEvent : textOf(texts.events, type)

/** The types that a webhook gets, in words: `user.*` are all of people. */
export const typesText = (types: Schemas['Webhook']['types'], texts: Texts): string =>
  types
    ? types
        .map((type) => (type.endsWith('.*') ? textOf(texts.history.kinds, type.slice(0, -2)) : eventText(type, texts)))
        .join(', ')
    : texts.connections.allEvents
