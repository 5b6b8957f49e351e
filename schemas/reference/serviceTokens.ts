import * as contracts from '../serviceTokens.ts'
import { fieldsOf, prose, reference } from './describe.ts'
import { offsetPage, offsetPaginationFields } from './shared.ts'

const scopes =
  'What the token may do: `READ` every GET under `/api/admin/`, except for service tokens and webhooks; `USERS`, `USER_GROUPS` (with assignments), `CHANNELS`, `SETTINGS` (roles, attribute definitions, calendar, organisation), `WEBHOOKS` and `SCIM` read and change that part; `ADMINISTRATORS` adds the changes of administrators that other tokens may not make.'

const facts = {
  id: ['The id of the token: the part after `rct_`.', 'DemoHrSystem0000000001'],
  name: ['What the token is for.', 'HR system'],
  scopes: [scopes, ['READ', 'USERS', 'USER_GROUPS']],
  created_by: ['The id of the administrator who made the token. It outlives them.', 'demo-admin'],
  created_at: ['When it was made: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  expires_at: ['From when on it is refused: RFC 3339, UTC, milliseconds.', '2027-11-21T09:00:00.000Z'],
  last_used_at: ['When it was last used, right to the hour. Null if never.', null],
  previous_expires_at: [
    'Until when the secret before the newest one works, too. Null if there is only one.',
    '2026-11-21T10:00:00.000Z',
  ],
} as const

const tokenFields = fieldsOf(contracts.serviceToken)(facts)

const withSecret = (id: string) =>
  ({
    ...facts,
    token: [
      'The token as it is sent: `rct_<id>_<secret>_<check>`. No other answer has it.',
      `rct_${id}_${'x'.repeat(43)}_xxxxxx`,
    ],
  }) as const

const tokenPath = (example: string) => ({ token_id: ['The id of the token.', example] }) as const

const given = {
  name: ['What the token is for: 1 to 120 characters, without outer white space.', 'HR system'],
  scopes: [`${scopes} Each once; \`WEBHOOKS\` only together with \`READ\`.`, ['READ', 'USERS']],
} as const

export const serviceTokens = reference(contracts, {
  listServiceTokens: {
    text: prose(`
      Lists service tokens, page by page, the oldest first. Expired tokens are among them until they are deleted.`),
    query: offsetPage,
    answers: { 200: 'One page of the tokens, and how many there are in all.' },
    answer: {
      service_tokens: ['The tokens on this page.', tokenFields],
      pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
    },
  },

  createServiceToken: {
    text: prose(`
      Makes a long-lived credential for a program: a directory that provisions people, an HR system, a dashboard. Send it
      as \`Authorization: Bearer rct_…\` wherever an access token of the issuer would do. It works within its scopes, and
      never for service tokens and tasks.

      **Only this answer has the token.** The service stores a hash of its secret; what is lost is replaced by
      *Give a service token a new secret*.

      **Without \`ADMINISTRATORS\`** a token cannot make administrators, change their username, e-mail, status or role, or
      delete or restore one: 403 \`PERMISSION_MISSING\`.

      **Repeating it** makes another token each time.

      **Limits:** 100 tokens (409 \`SERVICE_TOKENS_LIMIT_EXCEEDED\`). A token lives for a year, or as long as you say, up
      to two years.`),
    body: {
      ...given,
      expires_at: [
        'From when on it is refused: RFC 3339, any offset, in the future, at most two years from now. In a year if it is missing or null.',
        '2027-06-30T00:00:00.000Z',
      ],
    },
    answers: { 201: 'The token was made. Only this answer has it.' },
    answer: withSecret('DemoNewToken0000000001'),
    examples: [
      { title: 'For an HR system', status: 201, body: { name: 'HR system', scopes: ['READ', 'USERS', 'USER_GROUPS'] } },
    ],
  },

  getServiceToken: {
    text: prose(`
      Reads one service token: what it may do, until when, and when it was last used. Nobody can read its secret.`),
    path: tokenPath('DemoHrSystem0000000001'),
    answers: { 200: 'The token.' },
    answer: tokenFields,
  },

  updateServiceToken: {
    text: prose(`
      Changes a service token by a merge patch (RFC 7396): fields that you leave out stay. \`scopes\` are replaced as a
      whole, and count from the next request on. The record can be sent back as it was read: \`id\`, \`created_by\` and the
      other times are ignored.

      **An expired token** cannot be revived: 409 \`SERVICE_TOKEN_EXPIRED\`. Make a new one.

      **Repeating it** is safe: a patch that changes nothing answers 200.`),
    path: tokenPath('DemoDashboard000000001'),
    body: {
      ...given,
      expires_at: [
        'From when on it is refused: RFC 3339, any offset, in the future, at most two years from now.',
        '2027-06-30T00:00:00.000Z',
      ],
      id: ['Ignored.', 'DemoDashboard000000001'],
      created_by: ['Ignored.', 'demo-admin'],
      created_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
      last_used_at: ['Ignored.', null],
      previous_expires_at: ['Ignored.', null],
    },
    answers: { 200: 'The token after the change, or unchanged if there was nothing to change.' },
    answer: tokenFields,
    examples: [
      {
        title: 'Other scopes',
        status: 200,
        body: { name: 'Dashboard of the reception', scopes: ['READ', 'CHANNELS'] },
      },
    ],
  },

  deleteServiceToken: {
    text: prose(`
      Deletes a service token: from the next request on it is refused with 401 \`UNAUTHENTICATED\`. Its events stay.

      **Repeating it** finds nothing to delete: 404.`),
    path: tokenPath('DemoOldReport000000001'),
    answers: { 204: 'The token is deleted.' },
  },

  rotateServiceToken: {
    text: prose(`
      Gives a service token a new secret, with the same id, name, scopes and end. The secret before works on for
      \`overlap_minutes\`, so that programs can be changed over one after the other: see \`previous_expires_at\`.

      **During an overlap** it is only the newest secret that is replaced: the one before keeps its time, and never more
      than two work. \`overlap_minutes: 0\` ends all older ones at once.

      **Repeating it** makes another secret each time. An expired token cannot be rotated: 409 \`SERVICE_TOKEN_EXPIRED\`.`),
    path: tokenPath('DemoDirectory000000001'),
    body: {
      overlap_minutes: [
        'How long the secret before works on: 0 to 10,080 minutes, which are 7 days. 60 if it is missing or null.',
        1440,
      ],
    },
    answers: { 200: 'The token with its new secret. Only this answer has it.' },
    answer: withSecret('DemoDirectory000000001'),
    examples: [{ title: 'With a day to change over', status: 200, body: { overlap_minutes: 1440 } }],
  },
})
