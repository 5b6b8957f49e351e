import { nullable, object } from './contract.ts'
import { unseen } from './patterns.ts'

/** Paths have these words in place of an id, so no id may be one of them. */
export const reservedIds = ['batch', 'restore', 'assignments', 'assignments-summary'] as const

/** An id that a client may choose, and any id in a path. */
export const id = {
  type: 'string',
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
  not: { enum: reservedIds },
  description: 'Letters, digits, dots, underscores and hyphens, 1 to 64 of them',
} as const

/** Refuses half a surrogate pair, which is not a character: DynamoDB would replace it. */
const noLoneSurrogates = '^[^\\uD800-\\uDFFF]*$'
/** Characters that a line of text must not have: control characters and halves of surrogate pairs. */
const controls = '\\u0000-\\u001F\\u007F-\\u009F\\uD800-\\uDFFF'

/** One line of text of `min` to `max` characters, at least one of them visible. */
export const line = <const A extends number, const B extends number>(min: A, max: B) =>
  ({ type: 'string', minLength: min, maxLength: max, pattern: `^[^${controls}]*$`, format: 'visible' }) as const

/** A username: a line without invisible characters, marks of writing direction included: they could make it look like another one. */
export const username = { ...line(1, 255), pattern: `^([^${controls}${unseen}]| )*$` } as const

/** An e-mail address of any script. */
export const email = { type: 'string', minLength: 5, maxLength: 255, format: 'idn-email' } as const

/** Allows tabs and line breaks, but no other control characters. */
const noOtherControls = '^[^\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F\\uD800-\\uDFFF]*$'

/** Text of up to `max` characters, line breaks allowed. */
export const text = <const B extends number>(max: B) =>
  ({ type: 'string', maxLength: max, pattern: noLoneSurrogates }) as const

/** An id or name of a record in a body. The operation checks whether there is such a record. */
export const reference = { type: 'string', minLength: 1, maxLength: 255, pattern: noLoneSurrogates } as const

/** A field of the record that a patch cannot change. Clients may send it back. */
export const readOnly = { description: 'Read-only: accepted and ignored' } as const

/** A moment in an answer: RFC 3339, UTC, milliseconds. */
export const moment = { type: 'string', format: 'date-time' } as const

/** A localized text in lists and references: the one language that fits the caller best. */
export const localized = object({ language: { type: 'string' }, text: { type: 'string' } }, ['language', 'text'])

/** A localized text with all its languages. */
export const localizedTexts = { type: 'array', items: localized } as const

/** A language tag. */
export const language = { type: 'string', pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$' } as const

/** Contracts name these texts in `trims`, so `minLength: 1` refuses blank ones. */
const trimmed = { description: 'Without the white space around it' } as const

/** A title in a request: one line of up to `longest` characters in each of its languages. */
export const titleInput = <const B extends number>(longest: B) =>
  ({
    type: 'array',
    minItems: 1,
    maxItems: 100,
    items: object({ language, text: { ...line(1, longest), ...trimmed } }, ['language', 'text']),
  }) as const

/** A description in a request: text of up to `longest` characters in each of its languages, or null. */
export const descriptionInput = <const B extends number>(longest: B) =>
  ({
    type: ['array', 'null'],
    maxItems: 100,
    items: object({ language, text: { ...text(longest), minLength: 1, pattern: noOtherControls, ...trimmed } }, [
      'language',
      'text',
    ]),
  }) as const

/** Query parameters of every offset list. */
export const offsetPage = {
  page_cursor: {
    type: 'string',
    maxLength: 8000,
    description: 'The next_cursor of the page before, with its sort and filters; not together with page_number',
  },
  page_number: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'The first page is 1' },
  page_limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Items per page, 25 if not given' },
} as const

/** Case- and accent-insensitive search: every word must begin a word of one of the fields searched. */
export const searchTerm = { type: 'string', maxLength: 200, pattern: noLoneSurrogates } as const

/** The pagination object of an offset list. By a cursor, it has neither number nor totals. */
export const offsetPagination = object(
  {
    page_number: { type: 'integer' },
    page_limit: { type: 'integer' },
    total_pages: { type: 'integer' },
    total_elements: { type: 'integer' },
    total_relation: { type: 'string', enum: ['EQUAL', 'AT_LEAST'] },
    next_cursor: { type: ['string', 'null'] },
    has_more: { type: 'boolean' },
  },
  ['page_limit', 'next_cursor', 'has_more'],
)

/** Query parameters of every cursor list. */
export const cursorPage = {
  page_cursor: {
    type: 'string',
    maxLength: 8000,
    description: 'The next_cursor of the page before; its sort and filters replace those of the call',
  },
  page_limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Items per page, 25 if not given' },
} as const

/** The pagination object of a cursor list. */
export const cursorPagination = object({ next_cursor: { type: ['string', 'null'] }, has_more: { type: 'boolean' } }, [
  'next_cursor',
  'has_more',
])

/** Both directions of each sortable field. */
export const sortBy = <const F extends readonly string[]>(fields: F) =>
  ({
    type: 'array',
    minItems: 1,
    maxItems: 5,
    items: {
      type: 'string',
      enum: fields.flatMap((field) => [`${field}_ASC`, `${field}_DESC`]) as `${F[number]}_${'ASC' | 'DESC'}`[],
    },
  }) as const

const fault = object({ property: { type: 'string' }, message: { type: 'string' } }, ['property', 'message'])

/** The one error object (RFC 9457). */
export const problem = object(
  {
    type: { type: 'string' },
    status: { type: 'integer' },
    title: { type: 'string' },
    detail: { type: 'string' },
    error_code: { type: 'string' },
    property: { type: 'string' },
    request_id: { type: 'string' },
    errors: { type: 'array', items: fault },
    // Whether the change was made. Only with 503, and with the 429 of a batch item.
    done: { type: ['boolean', 'string'], enum: [true, false, 'unknown'] },
  },
  ['type', 'status', 'title', 'detail', 'error_code', 'request_id'],
)

/** The body of a batch: 1 to 100 items. Here they may have any form, as each item is validated, and answered, separately. */
export const batchOf = object({ items: { type: 'array', minItems: 1, maxItems: 100, items: {} } }, ['items'])

/** Whether the caller may do something to a record. */
export const allowed = object({ allowed: { type: 'boolean' } }, ['allowed'])

/** A user in other records. */
export const userReference = object(
  {
    id: { type: 'string' },
    is_deleted: { type: 'boolean' },
    first_name: { type: 'string' },
    last_name: { type: 'string' },
    department: { type: ['string', 'null'] },
    profile_picture: nullable(object({ file_id: { type: 'string' } }, ['file_id'])),
  },
  ['id', 'is_deleted', 'first_name', 'last_name', 'department', 'profile_picture'],
)

/** A user group in other records. */
export const groupReference = object(
  { id: { type: 'string' }, title: localized, status: { type: 'string', enum: ['ACTIVE', 'ARCHIVED'] } },
  ['id', 'title', 'status'],
)
