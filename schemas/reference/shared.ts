// What several features have in common, described once.
import * as assignments from '../assignments.ts'
import * as atom from '../atoms.ts'
import { fieldsOf, type Json } from './describe.ts'

/** Query parameters of every offset list. */
export const offsetPage = {
  page_cursor: [
    'Where the page begins: the `next_cursor` of the previous page, with the same `sort` and filters (others are refused). Not together with `page_number`.',
    'kWq0Zb3yT1mU9c2VhQ',
  ],
  page_number: [
    'The page to read. The first page is 1, the default. A page after the last is empty. A page far from both ends of a list of more than 300,000 items can be refused: use `page_cursor` then.',
    1,
  ],
  page_limit: ['How many items a page holds, 1 to 100. The default is 25.', 25],
} as const

/** Query parameters of every cursor list. */
export const cursorPage = {
  page_cursor: [
    'Where the page begins: the `next_cursor` of the previous page. It contains the sort and the filters, which replace those of the call.',
    'kWq0Zb3yT1mU9c2VhQ',
  ],
  page_limit: ['How many items a page holds, 1 to 100. The default is 25.', 25],
} as const

export const offsetPaginationFields = fieldsOf(atom.offsetPagination)({
  page_number: ['The number of this page. The first page is 1. Left out in answers by cursor.', 1],
  page_limit: ['How many items a page holds at most.', 2],
  total_pages: ['How many pages can be read. Left out in answers by cursor.', 6],
  total_elements: [
    'How many items match. With `AT_LEAST`: how many were found, up to 10,000. Left out in answers by cursor.',
    11,
  ],
  total_relation: [
    '`EQUAL`: `total_elements` is exact. `AT_LEAST`: there may be more matches than were counted. Left out in answers by cursor.',
    'EQUAL',
  ],
  next_cursor: [
    'An opaque text for the next page: send it as `page_cursor`, with the same `sort` and filters. Null on the last page.',
    'kWq0Zb3yT1mU9c2VhQ',
  ],
  has_more: ['Whether there are more items after this page.', true],
})

export const cursorPaginationFields = fieldsOf(atom.cursorPagination)({
  next_cursor: [
    'An opaque text for the next page: send it as `page_cursor`. Null on the last page.',
    'kWq0Zb3yT1mU9c2VhQ',
  ],
  has_more: ['Whether there are more items after this page.', true],
})

export const localizedFields = fieldsOf(atom.localized)({
  language: ['The language of the text, as a BCP 47 tag.', 'en-GB'],
  text: ['The text in that language.', 'Warehouse'],
})

/** A title or description as it is sent: one text for each language. */
export const givenTexts = (longest: number, of: string) =>
  ({
    language: ['A language of the organisation, as a BCP 47 tag. Each language once.', 'en-GB'],
    text: [`The ${of} in that language: 1 to ${longest} characters. Outer white space is dropped.`, 'Night shift'],
  }) as const

/** Whether the caller may do something and the record allows it. */
export const allowedFields = fieldsOf(atom.allowed)({
  allowed: ['Whether this caller may do this with the record in its current state.', true],
})

export const userReferenceFields = fieldsOf(atom.userReference)({
  id: ['The id of the user.', 'user-002'],
  is_deleted: ['Whether the user is pending deletion or deleted for good. Of the latter only the id is kept.', false],
  first_name: ['The first name of the user; empty if they are deleted for good.', 'Anna'],
  last_name: ['The last name of the user; empty if they are deleted for good.', 'Müller'],
  department: [
    'The value of the attribute `department`, or null if the user has none, or if it is hidden from the caller.',
    'People & Culture',
  ],
  profile_picture: [
    'The profile picture of the user, or null.',
    { file_id: ['The id of the picture in the file service.', 'portrait-1'] },
  ],
})

export const groupReferenceFields = fieldsOf(atom.groupReference)({
  id: ['The id of the user group.', 'warehouse'],
  title: ['The title of the group, in the language that fits the caller best.', localizedFields],
  status: ['Whether the group is in use (`ACTIVE`) or archived (`ARCHIVED`).', 'ACTIVE'],
})

export const roleReferenceFields = fieldsOf(assignments.roleReference)({
  id: ['The id of the role.', 'group-coordinator'],
  title: ['The title of the role, in the language that fits the caller best.', localizedFields],
  description: ['What the role is for, in the language that fits the caller best, or null.', localizedFields],
  type: ['`PREDEFINED` roles exist in every organisation; `CUSTOM` ones were created.', 'CUSTOM'],
  predefined_role_type: ['Which of the predefined roles this is; null for a custom role.', null],
  scope: ['Where the role can be held: `ORGANISATION`, `USER_GROUPS` or `CHANNELS`.', 'USER_GROUPS'],
  permission_count: ['How many permissions the role has.', 2],
})

export const assignableRolesFields = fieldsOf(assignments.assignableRoles)({
  assignable_roles: [
    'The roles on this page, in the order asked for.',
    {
      role_id: ['The id of the role, to be sent as `role_id`.', 'group-coordinator'],
      role: ['The role. Only with `embed=ROLE`.', roleReferenceFields],
    },
  ],
  pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
})

/** The query parameter `embed`, with what each of its values adds. */
export const embedOf = (parts: string, example: readonly string[]) =>
  [`Adds optional parts to each record. ${parts}`, example as Json] as const

/** Query parameters of the lists of assignable roles. */
export const assignableRolesQuery = {
  ...offsetPage,
  sort: [
    'The order, by the title in the language of the caller, ignoring case and accents. The default is `TITLE_ASC`; ties are sorted by id.',
    ['TITLE_ASC'],
  ],
  embed: embedOf('`ROLE`: the role with its texts.', ['ROLE']),
} as const

/** Query parameters of lists of people with roles. */
export const people = {
  search_term: [
    'Finds people by first name, last name and the attribute `department`. Every search word must be the beginning of a word in them; case and accents do not matter. Up to 200 characters.',
    'mull',
  ],
  sort: [
    'The order: 1 to 5 values. The first one sorts, each further one sorts the items that are equal by those before it. The default is `USER_LAST_NAME_ASC`; ties are sorted by the id of the user, then of the role.',
    ['USER_LAST_NAME_ASC', 'USER_FIRST_NAME_ASC'],
  ],
} as const

export const problemFields = fieldsOf(atom.problem)({
  type: ['Always `about:blank`: see `error_code`.', 'about:blank'],
  status: ['The HTTP status, the same as that of the answer (in a batch, of the item).', 400],
  title: ['The meaning of the code, in English. The same for every answer with this code.', 'The request is not valid'],
  detail: [
    'What happened in this call, in English, for engineers. The wording may change.',
    'page_limit must be <= 100',
  ],
  error_code: ['The code for programs. It always has the same meaning.', 'VALIDATION_ERROR'],
  property: ['The invalid field, as a dotted path; only if there is one.', 'page_limit'],
  request_id: [
    'The id of the request, as in the header `x-request-id`. Include it when you ask for help.',
    'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
  ],
  errors: [
    'Every fault of path, query, headers and body; only with status 400.',
    {
      property: ['The invalid field, as a dotted path, such as `attributes.0.value`.', 'page_limit'],
      message: ['What is wrong with it. It continues the name of the property.', 'must be <= 100'],
    },
  ],
  done: [
    'Whether the change was made; only with status 503, and 429 in a batch. `false`: nothing was done. `true`: it is done, but could not be shown. `"unknown"`: this is not known, or only a part is done.',
    false,
  ],
})

/** The end of each batch's text. */
export const batchRules = `
  Each item is handled like a single call, and fails with the codes of that call. The items are independent: a failed
  item does not affect the others, and the answer is 200 in any case, so check each item's \`status\`. Items
  that name the same record are done one after the other. An item with status 429 was not done at all because the
  database was busy: send it again.

  **Limits:** 1 to 100 items.`

/** The etag of the examples. */
export const etag = '"Zb3yT1mU9c2VhQkW.q0T1mU9c2VhQkWq0"'

/** The etag that an item of a conditional batch expects. */
export const ifMatch = [
  'The `etag` of your last read of the record, or `*`. If the record has changed since, also by an earlier item, nothing is done: 412 `PRECONDITION_FAILED`.',
  '*',
] as const

/** The answer of a batch: `id` identifies an item, `body` is the record of a successful item. */
export const batchAnswer = <const Id, const Body>(id: Id, body: Body) =>
  ({
    items: [
      'One result for each item of the request, in the same order.',
      {
        id,
        status: ['The HTTP status that a call for this item alone would have had.', 200],
        body: ['What a call for this item alone would have answered; only if the item succeeded.', body],
        error: ['Why the item failed; only if it did.', problemFields],
      },
    ],
  }) as const

/** The same where items are conditional. */
export const conditionalAnswer = <const Id, const Body>(id: Id, body: Body) => {
  const { items } = batchAnswer(id, body)
  const [text, fields] = items
  const tag = ['The version of the record after that; only if the item succeeded.', etag] as const
  return { items: [text, { ...fields, etag: tag }] } as const
}
