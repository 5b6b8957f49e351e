import * as contracts from '../rules.ts'
import { fieldsOf, prose, reference } from './describe.ts'
import {
  groupReferenceFields,
  offsetPage,
  offsetPaginationFields,
  roleReferenceFields,
  userReferenceFields,
} from './shared.ts'

const fieldText =
  'What the condition looks at: `ATTRIBUTE:` and a technical name, `EMAIL_DOMAIN` (the whole host of the e-mail address), `ROLE`, `TAG` (all tags of the user), `PRIMARY_USER_GROUP` (the group itself, not those above it), `USERNAME` or `EXTERNAL_ID`.'
const operatorText =
  'How it compares: `EQUALS` one of the values, `NOT_EQUALS` any of them (true also where the field is empty), `STARTS_WITH` or `CONTAINS` one of them, `IS_SET`, `IS_NOT_SET`. `ROLE` and `PRIMARY_USER_GROUP` take the first two only, `USERNAME` and `EXTERNAL_ID` only `STARTS_WITH`, `IS_SET` and `IS_NOT_SET`.'
const matchText = 'Whether a user must fit all conditions (`ALL`) or any one of them (`ANY`).'

const condition = {
  field: [fieldText, 'ATTRIBUTE:department'],
  operator: [operatorText, 'EQUALS'],
  values: ['What is compared with; empty for `IS_SET` and `IS_NOT_SET`.', ['Sales', 'Customer Care']],
} as const

const ruleFields = fieldsOf(contracts.rule)({
  id: ['The id of the rule.', 'commercial-staff'],
  title: ['What the rule is for.', 'Sales and Customer Care'],
  user_group: ['The user group that the rule keeps.', groupReferenceFields],
  role: ['The role that it gives in the group.', roleReferenceFields],
  match: [matchText, 'ALL'],
  conditions: ['What a user must fit.', condition],
  except_user_ids: ['Users who never get the role by this rule.', ['user-020']],
  enabled: ['Whether the rule is in force. Who holds a role by a rule that is disabled loses it.', true],
  state: ['`READY`: every user is as the rule says. `APPLYING`: the last change is still being carried out.', 'READY'],
  progress: [
    'How far a change is carried out, while it is `APPLYING`; else null.',
    { done: ['How many users have been looked at.', 12_000], total: ['How many there are to look at.', 100_000] },
    null,
  ],
  created_at: ['When the rule was created: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  updated_at: [
    'When the rule last changed: RFC 3339, UTC, milliseconds. A call that changes nothing leaves it.',
    '2026-11-21T09:00:00.000Z',
  ],
  updated_by: [
    'The id of the user who last changed the rule: it gives the role on their behalf. Null after an import.',
    'service-account-admin',
  ],
})

const rulePath = (example: string) => ({ rule_id: ['The id of the rule.', example] }) as const

/** What creation, patch and preview have in common. */
const given = {
  match: [`${matchText} Null for the default, \`ALL\`.`, 'ALL'],
  conditions: [
    'What a user must fit: 1 to 10 conditions. Texts are compared whole, and without regard to case and accents, as search compares them.',
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
  'What the rule is for: one line of 1 to 120 characters. Outer white space is dropped.',
  'Night shift',
] as const
const enabled = ['Whether the rule is in force. Null for the default, true.', true] as const

const applying = `
  **What else changes:** all users are looked at. Up to 1,000 assignments are given or taken before the answer; what is
  left follows by itself, and the rule is \`APPLYING\` until then. Each assignment has the usual event, on behalf of the
  caller.`

export const rules = reference(contracts, {
  listRules: {
    text: prose(`
      Lists the rules of all user groups, page by page. Both filters must fit; without any, all rules are listed.`),
    query: {
      ...offsetPage,
      user_group_id: ['Only rules of these user groups, up to 100 ids.', ['commercial']],
      enabled: ['Only rules that are in force, or only those that are not.', true],
      sort: [
        'The order: 1 to 5 values. The first one sorts, each further one sorts the items that are equal by those before it. The default is `TITLE_ASC`, ignoring case and accents; ties go by id.',
        ['TITLE_ASC'],
      ],
    },
    send: { enabled: true },
    answers: { 200: 'One page of the rules that fit, and how many there are in all.' },
    answer: {
      rules: ['The rules on this page, in the order asked for.', ruleFields],
      pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
    },
  },

  createRule: {
    text: prose(`
      Creates a rule. While a user matches it, they hold its role in its user group, from the answer that made them match:
      the assignment has the source \`RULE\`. Who holds the role there already, by hand or by their primary group, keeps it
      as it is. Several rules can give the same role in the same group; it ends with the last one that matches.

      Rules look at every user who is not pending deletion, whatever their status.

      **Allowed** for active user groups of type \`CUSTOM\`, and for roles with the scope \`USER_GROUPS\` that the caller may
      hand out.
      ${applying} The first rule of an organisation is \`APPLYING\` for a minute or two.

      **Repeating it** with the same \`id\` is refused with 409 \`DUPLICATE_ID\`; without an \`id\` it creates another
      rule: send an \`Idempotency-Key\`.

      **Limits:** 200 rules, 20 for one user group; 16 kB for one rule and 512 kB for all of them, as JSON.`),
    body: {
      ...given,
      id: [
        'An id of your choice: letters, digits, dots, underscores and hyphens, 1 to 64 of them, a letter or digit first. If it is missing or null, the service makes a UUID.',
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

      \`total\` counts the users who match among those that were looked at: \`looked_at\` out of \`of\`. In a large
      organisation only a part can be looked at within the budget of a search, by last name.

      With \`user_group_id\` and \`role_id\` it also counts who would gain the role there, and who would lose it if this were
      the only rule for this role in this group.`),
    body: {
      ...given,
      user_group_id: ['The id of a user group of type `CUSTOM`; together with `role_id`.', 'commercial'],
      role_id: ['The id of a role with the scope `USER_GROUPS`; together with `user_group_id`.', 'group-member'],
    },
    answers: { 200: 'How many users match, and the first ones by last name.' },
    answer: {
      total: ['How many of the users looked at match.', 42],
      looked_at: ['How many users were looked at.', 371],
      of: ['How many users there are, without those pending deletion.', 371],
      users: ['Up to 25 of those who match, by last name.', userReferenceFields],
      gaining: ['How many of them do not hold the role in the group yet. Only with group and role.', 3],
      losing: ['How many hold the role in the group by a rule and do not match. Only with group and role.', 1],
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
      Reads one rule as the last change left it, and how far that change is carried out.`),
    path: rulePath('commercial-staff'),
    answers: { 200: 'The rule.' },
    answer: ruleFields,
  },

  updateRule: {
    text: prose(`
      Changes a rule by a merge patch (RFC 7396): fields that you leave out stay, null brings a default back. The lists
      \`conditions\` and \`except_user_ids\` are replaced as a whole.

      **Allowed** for the user group and the role that the rule has; another one is refused with 400 \`VALIDATION_ERROR\`:
      create another rule. Whether the caller may hand out the role is judged anew, except to disable the rule. It cannot
      be enabled while its user group is archived. The record can be sent back as it was read: \`id\`, \`user_group\`,
      \`role\`, \`state\`, \`progress\`, the times and \`updated_by\` are ignored.
      ${applying}

      **Repeating it** is safe: a patch that changes nothing answers 200 and leaves \`updated_at\`.

      **Limits:** as for a creation.`),
    path: rulePath('forklift-drivers'),
    body: {
      ...given,
      title,
      enabled,
      user_group_id: ['The id of the user group as it is: another one is refused.', 'forklift-drivers'],
      role_id: ['The id of the role as it is: another one is refused.', 'group-member'],
      id: ['Ignored.', 'forklift-drivers'],
      user_group: ['Ignored, unless it names another user group: that is refused.', null],
      role: ['Ignored, unless it names another role: that is refused.', null],
      state: ['Ignored.', 'READY'],
      progress: ['Ignored.', null],
      created_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
      updated_at: ['Ignored.', '2026-11-21T09:00:00.000Z'],
      updated_by: ['Ignored.', 'service-account-admin'],
    },
    answers: { 200: 'The rule after the change, or unchanged if there was nothing to change.' },
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
      Deletes a rule for good. Its id is free again.

      **Allowed** in every state, whether its user group is archived or not.

      **What else changes:** who held the role by this rule alone loses it: up to 1,000 assignments before the answer, the
      rest by itself.

      **Repeating it** answers 404 \`RULE_NOT_FOUND\`.`),
    path: rulePath('external-staff'),
    answers: { 204: 'The rule was deleted.' },
  },
})
