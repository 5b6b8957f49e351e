import * as contracts from '../rules.ts'
import { describe, fieldsOf, prose } from './describe.ts'
import {
  groupReferenceFields,
  offsetPage,
  offsetPaginationFields,
  roleReferenceFields,
  userReferenceFields,
} from './shared.ts'

const fieldText =
  'The field that the condition checks: `ATTRIBUTE:` and a technical name, `EMAIL_DOMAIN` (the whole host of the e-mail address), `ROLE`, `TAG` (all tags of the user), `PRIMARY_USER_GROUP` (the group itself, not those above it), `USERNAME`, `EXTERNAL_ID` or `PREFERRED_LANGUAGE` (the stored tag, whether the organisation uses the language or not).'
const operatorText =
  'How it compares: `EQUALS` one of the values, `NOT_EQUALS` any of the values (also true if the field is empty), `STARTS_WITH` or `CONTAINS` one of them, `IS_SET`, `IS_NOT_SET`. `ROLE` and `PRIMARY_USER_GROUP` take the first two only, `USERNAME` and `EXTERNAL_ID` only `STARTS_WITH`, `IS_SET` and `IS_NOT_SET`.'
const matchText = 'Whether a user must meet all conditions (`ALL`) or any of them (`ANY`).'

const condition = {
  field: [fieldText, 'ATTRIBUTE:department'],
  operator: [operatorText, 'EQUALS'],
  values: ['The values to compare with; empty for `IS_SET` and `IS_NOT_SET`.', ['Sales', 'Customer Care']],
} as const

const ruleFields = fieldsOf(contracts.rule)({
  id: ['The id of the rule.', 'commercial-staff'],
  title: ['The title of the rule.', 'Sales and Customer Care'],
  user_group: ['The user group in which the rule gives a role.', groupReferenceFields],
  role: ['The role that it gives.', roleReferenceFields],
  match: [matchText, 'ALL'],
  conditions: ['The conditions on the user.', condition],
  except_user_ids: ['Users who never get the role by this rule.', ['user-020']],
  enabled: ['Whether the rule is enabled. A disabled rule takes back the roles that only it gives.', true],
  state: [
    '`READY`: the rule is applied to every user. `APPLYING`: the last change is still being applied. `DELETING`: the rule is deleted, and users still lose its role.',
    'READY',
  ],
  progress: [
    'How far the last change is applied, while the rule is `APPLYING` or `DELETING`; otherwise null.',
    { done: ['How many users have been checked.', 12_000], total: ['How many users must be checked.', 100_000] },
    null,
  ],
  created_at: ['When the rule was created: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  updated_at: [
    'When the rule last changed: RFC 3339, UTC, milliseconds. A call that changes nothing keeps it.',
    '2026-11-21T09:00:00.000Z',
  ],
  updated_by: [
    'The id of the user who last changed the rule, which gives the role on their behalf. Null after an import, and if a service token made the change.',
    'service-account-admin',
  ],
})

const rulePath = (example: string) => ({ rule_id: ['The id of the rule.', example] }) as const

/** The part that creation, patch and preview share. */
const input = {
  match: [`${matchText} Null for the default, \`ALL\`.`, 'ALL'],
  conditions: [
    '1 to 10 conditions on the user. Texts are compared as a whole, ignoring case and accents.',
    {
      ...condition,
      values: [
        '1 to 100 values of 1 to 255 characters; none with `IS_SET` and `IS_NOT_SET`. Of `ROLE`: `USER` or `ADMIN`. Of `PRIMARY_USER_GROUP`: ids of user groups. Of `EMAIL_DOMAIN`: hosts.',
        ['Sales', 'Customer Care'],
      ],
    },
  ],
  except_user_ids: ['Up to 100 users who never get the role by this rule. Null for none.', ['user-020']],
} as const
const title = [
  'The title of the rule: one line of 1 to 120 characters. Outer white space is dropped.',
  'Night shift',
] as const
const enabled = ['Whether the rule is enabled. Null for the default, true.', true] as const

const applying = `
  **What else changes:** the rule is applied to all users. Up to 1,000 assignments change before the answer, the others
  within moments; until then the rule is \`APPLYING\`. Each change of an assignment has an event that names the caller.`

export const rules = describe(contracts, {
  listRules: {
    text: prose(`
      Lists the rules of all user groups, page by page. Both filters combine with AND; without filters, all rules are listed.`),
    query: {
      ...offsetPage,
      user_group_id: ['Only rules of these user groups, up to 100 ids.', ['commercial']],
      enabled: ['Only rules that are enabled (`true`), or only disabled ones (`false`).', true],
      sort: [
        'The order: 1 to 5 values. The first one sorts, each further one sorts the items that are equal by those before it. The default is `TITLE_ASC`, ignoring case and accents; ties are sorted by id.',
        ['TITLE_ASC'],
      ],
    },
    send: { enabled: true },
    answers: { 200: 'One page of the rules that match, and their total.' },
    answer: {
      rules: ['The rules on this page, in the order asked for.', ruleFields],
      pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
    },
  },

  createRule: {
    text: prose(`
      Creates a rule. While a user matches it, they hold its role in its user group: the assignment has the source
      \`RULE\`. If the user holds the role there already, by hand or by their primary group, that assignment stays as it
      is. Several rules can give the same role in the same group; the assignment ends when none of them matches any more.

      Rules apply to every user who is not pending deletion, whatever their status.

      **Allowed** for active user groups of type \`CUSTOM\`, and for roles with the scope \`USER_GROUPS\` that the caller may
      hand out.
      ${applying} The first rule of an organisation is \`APPLYING\` for a minute or two.

      **Repeating it** with the same \`id\` is refused with 409 \`DUPLICATE_ID\`; without an \`id\` it creates another
      rule. Send an \`Idempotency-Key\` to avoid that.

      **Limits:** 200 rules, 20 for one user group; 16 kB for one rule and 512 kB for all of them, as JSON.`),
    body: {
      ...input,
      id: [
        'The id: 1 to 64 letters, digits, dots, underscores and hyphens, a letter or digit first. If it is missing or null, the service generates a UUID.',
        'night-shift',
      ],
      title,
      user_group_id: ['The id of an active user group of type `CUSTOM`.', 'warehouse'],
      role_id: ['The id of an assignable role with the scope `USER_GROUPS`.', 'group-member'],
      enabled,
    },
    answers: { 201: 'The rule was created.' },
    answer: ruleFields,
    examples: [
      {
        title: 'Create a rule',
        status: 201,
        body: {
          id: 'night-shift',
          title: 'Night shift of the warehouse',
          user_group_id: 'warehouse',
          role_id: 'group-coordinator',
          match: 'ALL',
          conditions: [
            { field: 'ATTRIBUTE:department', operator: 'EQUALS', values: ['Warehouse', 'Logistics'] },
            { field: 'TAG', operator: 'EQUALS', values: ['night-shift'] },
          ],
          except_user_ids: ['user-020'],
        },
      },
      {
        title: 'As little as it takes',
        status: 201,
        body: {
          title: 'Everybody with a cost centre',
          user_group_id: 'site-osaka',
          role_id: 'group-member',
          conditions: [{ field: 'ATTRIBUTE:cost_center', operator: 'IS_SET' }],
        },
      },
    ],
  },

  previewRule: {
    text: prose(`
      Shows which users a rule with these conditions would match. Nothing is written, and no rule has to exist.

      \`total\` counts the users who match, among those that were checked: \`looked_at\` out of \`of\`. In a large
      organisation only the first users by last name can be checked within the budget of a search.

      With \`user_group_id\` and \`role_id\` it also counts how many users would gain the role there, and how many would
      lose it if this were the only rule for this role in this group.`),
    body: {
      ...input,
      user_group_id: ['The id of a user group of type `CUSTOM`; together with `role_id`.', 'commercial'],
      role_id: ['The id of a role with the scope `USER_GROUPS`; together with `user_group_id`.', 'group-member'],
    },
    answers: { 200: 'How many users match, and the first ones by last name.' },
    answer: {
      total: ['How many of the checked users match.', 42],
      looked_at: ['How many users were checked.', 371],
      of: ['How many users there are, without those pending deletion.', 371],
      users: ['Up to 25 matching users, by last name.', userReferenceFields],
      gaining: ['How many matching users do not hold the role in the group yet. Only with group and role.', 3],
      losing: ['How many users hold the role in the group by a rule and do not match. Only with group and role.', 1],
    },
    examples: [
      {
        title: 'Who has a mentor tag and a given department',
        status: 200,
        body: {
          conditions: [
            { field: 'TAG', operator: 'EQUALS', values: ['mentor'] },
            { field: 'ATTRIBUTE:department', operator: 'EQUALS', values: ['sales', 'finance'] },
          ],
        },
      },
      {
        title: 'What a change of a rule would do',
        status: 200,
        body: {
          conditions: [{ field: 'ATTRIBUTE:department', operator: 'EQUALS', values: ['Sales'] }],
          user_group_id: 'commercial',
          role_id: 'group-member',
        },
      },
    ],
  },

  getRule: {
    text: prose(`
      Reads one rule, and how far its last change is applied.`),
    path: rulePath('commercial-staff'),
    answers: { 200: 'The rule.' },
    answer: ruleFields,
  },

  updateRule: {
    text: prose(`
      Changes a rule by a merge patch (RFC 7396): fields that you leave out stay, null restores a default. The lists
      \`conditions\` and \`except_user_ids\` are replaced as a whole.

      **Allowed** in every state, but user group and role cannot change (400 \`VALIDATION_ERROR\`): create another rule
      instead. Except to disable the rule, the caller must be allowed to hand out the role. The rule cannot be enabled while its user group
      is archived. You can send the record back as you read it: \`id\`, \`user_group\`,
      \`role\`, \`state\`, \`progress\`, the times and \`updated_by\` are ignored.
      ${applying}

      **Repeating it** is safe: a patch that changes nothing answers 200 and keeps \`updated_at\`.

      **Limits:** as for a creation.`),
    path: rulePath('forklift-drivers'),
    body: {
      ...input,
      title,
      enabled,
      user_group_id: ['The id of the current user group: another one is refused.', 'forklift-drivers'],
      role_id: ['The id of the current role: another one is refused.', 'group-member'],
      id: ['Ignored.', 'forklift-drivers'],
      user_group: ['Ignored, unless it names another user group: that is refused.', null],
      role: ['Ignored, unless it names another role: that is refused.', null],
      state: ['Ignored.', 'READY'],
      progress: ['Ignored.', null],
      created_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
      updated_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
      updated_by: ['Ignored.', 'service-account-admin'],
    },
    answers: { 200: 'The rule after the change; unchanged if there was nothing to change.' },
    answer: ruleFields,
    examples: [
      {
        title: 'Change the conditions',
        status: 200,
        body: { conditions: [{ field: 'TAG', operator: 'EQUALS', values: ['forklift-licence', 'crane-licence'] }] },
      },
      { title: 'Except a user', status: 200, body: { except_user_ids: ['user-033'] } },
      { title: 'Disable it', status: 200, body: { enabled: false } },
    ],
  },

  deleteRule: {
    text: prose(`
      Deletes a rule for good.

      **Allowed** in every state, also if its user group is archived.

      **What else changes:** users who held the role only by this rule lose it, also in archived groups and while they are pending
      deletion. Up to 1,000 assignments change before the answer, which is then 204. Otherwise it is 202 with the rule: it is
      \`DELETING\` until the others have changed, too. Until then it can be read and is listed, gives nothing, cannot be changed (409
      \`RULE_IS_DELETING\`), keeps its id, and counts in the limits and as a use of its role. Another rule for the same group and role
      may be created: users who match it keep the role without a gap.

      **Repeating it** answers 202 while the rule is \`DELETING\`, whatever \`If-Match\` says, then 404 \`RULE_NOT_FOUND\`.`),
    path: rulePath('external-staff'),
    examples: [{ title: 'Delete a rule', status: 204 }],
    answers: {
      202: 'The rule is being deleted: users still lose its role.',
      204: 'The rule was deleted, and nobody holds its role by it any more.',
    },
    answer: ruleFields,
  },
})
