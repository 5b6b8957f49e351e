import * as contracts from '../serviceTokens.ts'
import { describe, fieldsOf, prose } from './describe.ts'
import { offsetPage, offsetPaginationFields } from './shared.ts'

const scopes =
  'What the token may do: `READ` allows every GET under `/api/admin/`, except for service tokens and webhooks; `USERS`, `USER_GROUPS` (with assignments), `CHANNELS`, `SETTINGS` (roles, attribute definitions, calendar, organisation), `WEBHOOKS` and `SCIM` each allow reading and changing their part; `ADMINISTRATORS` also allows changes of administrators that are otherwise forbidden.'

const sharedFields = {
  id: ['The id of the token: the part after `rct_`, up to the next `_`.', 'DemoHrSystem0000000001'],
  name: ['The name of the token.', 'HR system'],
  scopes: [scopes, ['READ', 'USERS', 'USER_GROUPS']],
  created_by: ['The id of the administrator who created the token.', 'demo-admin'],
  created_at: ['When it was created: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  expires_at: ['When it expires: RFC 3339, UTC, milliseconds.', '2027-11-21T09:00:00.000Z'],
  last_used_at: ['When it was last used, to the hour. Null if never.', null],
  previous_expires_at: [
    'When the previous secret expires. Null if only the newest one is valid.',
    '2026-11-21T10:00:00.000Z',
  ],
} as const

const tokenFields = fieldsOf(contracts.serviceToken)(sharedFields)

const withSecret = (id: string) =>
  ({
    ...sharedFields,
    token: ['The token: `rct_<id>_<secret>_<check>`. No other answer has it.', `rct_${id}_${'x'.repeat(43)}_xxxxxx`],
  }) as const

const tokenPath = (example: string) => ({ token_id: ['The id of the token.', example] }) as const

const input = {
  name: ['The name of the token: 1 to 120 characters, without outer white space.', 'HR system'],
  scopes: [`${scopes} Each once; \`WEBHOOKS\` only together with \`READ\`.`, ['READ', 'USERS']],
} as const

export const serviceTokens = describe(contracts, {
  listServiceTokens: {
    text: prose(`
      Lists service tokens, page by page, the oldest first. Expired tokens are listed until they are deleted.`),
    query: offsetPage,
    answers: { 200: 'One page of the tokens, and their total.' },
    answer: {
      service_tokens: ['The tokens on this page.', tokenFields],
      pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
    },
  },

  createServiceToken: {
    text: prose(`
      Creates a long-lived credential for a program: a directory that provisions users, an HR system, a dashboard. Send it
      as \`Authorization: Bearer rct_…\` instead of an access token of the issuer. It works within its scopes, and
      never for service tokens and tasks.

      **Only this answer has the token.** The service stores a hash of its secret. Replace a lost secret with
      *Give a service token a new secret*.

      **Without \`ADMINISTRATORS\`** a token cannot create administrators, change their username, e-mail, external id, status
      or role, or delete or restore them: 403 \`PERMISSION_MISSING\`.

      **Repeating it** creates another token each time.

      **Limits:** 100 tokens (409 \`SERVICE_TOKENS_LIMIT_EXCEEDED\`). A token is valid for a year by default, for two
      years at most.`),
    body: {
      ...input,
      expires_at: [
        'When it expires: RFC 3339, any offset, in the future, at most two years from now. In a year if it is missing or null.',
        '2027-06-30T00:00:00.000Z',
      ],
    },
    answers: { 201: 'The token was created. Only this answer has it.' },
    answer: withSecret('DemoNewToken0000000001'),
    examples: [
      { title: 'For an HR system', status: 201, body: { name: 'HR system', scopes: ['READ', 'USERS', 'USER_GROUPS'] } },
    ],
  },

  getServiceToken: {
    text: prose(`
      Reads one service token: its scopes, its expiry, and when it was last used. Its secret cannot be read.`),
    path: tokenPath('DemoHrSystem0000000001'),
    answers: { 200: 'The token.' },
    answer: tokenFields,
  },

  updateServiceToken: {
    text: prose(`
      Changes a service token by a merge patch (RFC 7396): fields that you leave out stay. \`scopes\` are replaced as a
      whole, and apply from the next request on. You can send the record back as you read it: \`id\`, \`created_by\` and the
      other times are ignored.

      **An expired token** cannot be extended: 409 \`SERVICE_TOKEN_EXPIRED\`. Create a new one.

      **Repeating it** is safe: a patch that changes nothing answers 200.`),
    path: tokenPath('DemoDashboard000000001'),
    body: {
      ...input,
      expires_at: [
        'When it expires: RFC 3339, any offset, in the future, at most two years from now.',
        '2027-06-30T00:00:00.000Z',
      ],
      id: ['Ignored.', 'DemoDashboard000000001'],
      created_by: ['Ignored.', 'demo-admin'],
      created_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
      last_used_at: ['Ignored.', null],
      previous_expires_at: ['Ignored.', null],
    },
    answers: { 200: 'The token after the change; unchanged if there was nothing to change.' },
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

      **Repeating it** answers 404 \`SERVICE_TOKEN_NOT_FOUND\`.`),
    path: tokenPath('DemoOldReport000000001'),
    answers: { 204: 'The token is deleted.' },
  },

  rotateServiceToken: {
    text: prose(`
      Gives a service token a new secret, with the same id, name, scopes and expiry. The previous secret stays valid for
      \`overlap_minutes\`, so that you can update programs one after the other: see \`previous_expires_at\`.

      **During an overlap** only the newest secret is replaced: the previous one ends at the earlier of both times, and there
      are never more than two valid secrets. \`overlap_minutes: 0\` ends all older ones at once.

      **Repeating it** creates another secret each time. An expired token cannot be rotated: 409 \`SERVICE_TOKEN_EXPIRED\`.`),
    path: tokenPath('DemoDirectory000000001'),
    body: {
      overlap_minutes: [
        'How long the previous secret stays valid: 0 to 10,080 minutes (7 days). 60 if it is missing or null.',
        1440,
      ],
    },
    answers: { 200: 'The token with its new secret. Only this answer has it.' },
    answer: withSecret('DemoDirectory000000001'),
    examples: [{ title: 'With a day to change over', status: 200, body: { overlap_minutes: 1440 } }],
  },
})
