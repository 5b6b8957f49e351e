import * as contracts from '../plans.ts'
import { describe, fieldsOf, prose } from './describe.ts'
import { cursorPage, cursorPaginationFields, userReferenceFields } from './shared.ts'
import { userPatchFields } from './userRecords.ts'

const pathOf = (example: string) => ({ plan_id: ['The id of the plan.', example] }) as const
const id = '20261121T090000000Z-5f0c6f0e-3d0e-4b53-9a52-5a7f6d1f2a11'

const faultFields = {
  code: ['The code of the single call, or one of plans.', 'USER_MODIFICATION_NOT_ALLOWED'],
  detail: ['What it is about, as a sentence.', 'The user is DEACTIVATED: lock is not possible'],
} as const

const planFields = fieldsOf(contracts.plan)({
  id: ['The id of the plan. Ids sort by the time of creation.', id],
  kind: [
    '`SELECTION`: changes of all users who match. `FILE`: what a file says about each person. `UNDO`: takes back another plan.',
    'SELECTION',
  ],
  title: ['The title, or null.', 'Lock the night shift'],
  state: [
    '`WAITING`: for its file, for 24 hours. `CHECKING`: the changes are being worked out. `READY`: they can be read and applied, for seven days. `REFUSED`: the plan cannot be made, see `fault`. `APPLYING`: the changes are being made, or wait for another plan. `DONE`, `CANCELLED`, `EXPIRED`: the end.',
    'READY',
  ],
  request: [
    'What was asked for: `select`, `change` and `limits`, or what is to be done with a file, or `plan_id`. In place of `user_ids` their number and SHA-256. Once a file is uploaded, `file` has its `bytes` and `sha256`.',
    { select: { tag: 'night-shift' }, change: { action: 'LOCK' } },
  ],
  counts: [
    'Numbers. `rows`, `unchanged`, `faults` and `absent` count rows or people, the others changes.',
    {
      rows: ['Rows of the file, or people who match.', 12],
      creations: ['Users to be created.', 0],
      updates: ['Users to be updated.', 0],
      lifecycle: ['Users to be locked, unlocked, deactivated, reactivated, deleted or restored.', 10],
      assignments: ['Roles in groups to be given or taken.', 0],
      unchanged: ['People who are already as the change wants them.', 1],
      faults: ['Rows and people that have a fault: nothing is planned for them.', 1],
      absent: ['People who are missing in a file. Where they are more than the limits allow, the first of them.', 0],
      planned: ['Changes that will be made, if nothing they depend on changes before.', 10],
      done: ['Changes that were made.', 0],
      skipped: ['Changes that were not made, as somebody has changed the user since.', 0],
      failed: ['Changes that the service has refused.', 0],
    },
  ],
  progress: [
    'How far the work is, while the plan is `CHECKING` or `APPLYING`; otherwise null.',
    { done: ['How much is done.', 90], total: ['How much there is in all, about.', 100] },
    null,
  ],
  fault: ['Why the plan was refused, ended by itself, or waits for its file again; otherwise null.', faultFields, null],
  created_by: ['Who created it: the id of a user, or `service_token:` and the id of a service token.', 'demo-admin'],
  created_at: ['When it was created: RFC 3339, UTC, milliseconds.', '2026-11-21T09:00:00.000Z'],
  checked_at: [
    'When its changes were worked out: RFC 3339, UTC, milliseconds; otherwise null.',
    '2026-11-21T09:00:01.000Z',
  ],
  applied_by: ['Who applied it, like `created_by`; otherwise null.', null],
  applied_at: ['When it was applied: RFC 3339, UTC, milliseconds; otherwise null.', null],
  finished_at: ['When it ended: RFC 3339, UTC, milliseconds; otherwise null.', null],
  expires_at: [
    'While it is `READY` or `WAITING`: until when it can be applied, or its file uploaded. RFC 3339, UTC, milliseconds.',
    '2026-11-28T09:00:01.000Z',
  ],
  deletes_at: ['When it is removed, 30 days after its end: RFC 3339, UTC, milliseconds; otherwise null.', null],
  undone_by: ['The id of the last plan that takes it back, or null.', null],
  ignored_columns: [
    'Of a `FILE`: headers that name no field and no attribute, so that their columns were left out. Long ones are shortened.',
    [],
  ],
})

const changeFields = fieldsOf(contracts.planChange)({
  number: ['Its place among the changes of the plan, from 1.', 1],
  row: ['The place of the user in `user_ids`, from 1; null for other selections.', null],
  user: ['The user.', userReferenceFields],
  action: ['What is done with the user.', 'LOCK'],
  fields: [
    'The values before and after. Attributes have the field `attribute:` and their technical name. Empty once the user is gone, or a week after the end of a plan that was not carried out.',
    {
      field: ['The field.', 'status'],
      before: ['The value before the change, which it expects.', 'ACTIVE'],
      after: ['The value after it.', 'LOCKED'],
    },
  ],
  outcome: [
    '`PLANNED`: not made yet. `DONE`. `SKIPPED`: somebody has changed the user since. `FAILED`: the service has refused it.',
    'PLANNED',
  ],
  error: ['Why it was skipped or has failed; otherwise null.', faultFields, null],
})

const selectFields = {
  all: ['`true` for everybody. Not together with anything else.', true],
  user_ids: ['1 to 10,000 ids of users. Not together with anything else.', ['user-013', 'user-014']],
  search_term: [
    'As in *List, search and filter users*. All who match are taken, however many a search shows.',
    'night',
  ],
  status: ['A status, or a list of them.', ['ACTIVE']],
  role: ['A role, or a list of them.', ['USER']],
  attribute_technical_name: ['The technical name of an attribute; together with `attribute_value`.', 'department'],
  attribute_value: ['The exact value of the attribute.', 'Warehouse'],
  tag: ['A tag.', 'night-shift'],
  user_group_id: ['The id of a user group: its members by any role.', 'warehouse'],
  role_id: ['Only those who hold this role in the group.', 'group-member'],
} as const

const groupRole = {
  user_group_id: ['The id of a user group.', 'warehouse'],
  role_id: ['The id of a role with the scope `USER_GROUPS`.', 'group-coordinator'],
} as const

/** A list has labels with names, the object lists of names. */
const tagChange = {
  add: ['Labels to add.', ['night-shift']],
  remove: ['Labels to remove.', ['day-shift']],
  name: ['The label: 1 to 64 characters, one line.', 'night-shift'],
} as const

const { role, required_actions, attributes, profile_picture, preferred_language, primary_user_group_id } =
  userPatchFields

/** What only plans of files have. */
const fileFields = {
  format: ['Only of a `FILE`: `CSV`, or `JSONL` with one object a line. Default: `CSV`.', 'CSV'],
  match_by: [
    'Only of a `FILE`: the field by which rows and users belong together, `EXTERNAL_ID`, `USERNAME` or `ID`. Default: `EXTERNAL_ID`.',
    'EXTERNAL_ID',
  ],
  mode: [
    'Only of a `FILE`: `DELTA`, it has some people; or `FULL`, it has all. Only with `FULL` can people be absent. Default: `DELTA`.',
    'DELTA',
  ],
  columns: [
    'Only of a `FILE`: fields for headers that do not name them, `attribute:` and a technical name for attributes. Null leaves a column out.',
    { 'Personnel number': 'external_id', Cost: null },
  ],
  empty: [
    'Only of a `FILE`: empty cells leave their fields (`IGNORE`) or clear them (`CLEAR`). Default: `IGNORE`.',
    'IGNORE',
  ],
  pending: [
    'Only of a `FILE`: rows of users who are pending deletion are faults (`FAULT`) or restore them (`RESTORE`). Default: `FAULT`.',
    'FAULT',
  ],
  unlock: ['Only of a `FILE`: whether the status `ACTIVE` unlocks users who are `LOCKED`. Default: false.', false],
  absent: [
    'Only of a `FILE`: what is done with people who are not in it, `KEEP`, `DEACTIVATE` or `DELETE`. Others than `KEEP` need the mode `FULL` and `absent_among`. Default: `KEEP`.',
    'KEEP',
  ],
  absent_among: ['Only of a `FILE`: who can be absent, a selection like `select`.', selectFields, { all: true }],
  include_administrators: ['Only of a `FILE`: whether administrators can be absent. Default: false.', false],
  on_fault: [
    'Only of a `FILE`: rows with faults are left out (`SKIP`), or refuse the plan (`REFUSE`). Default: `SKIP`.',
    'SKIP',
  ],
} as const

/** The SHA-256 of the file that `test/reference/examplePlans.ts` uploads. */
const sum = '494c8484a84a5613518631c5db7ecd1b55fee57b55298a378c65c5d3cca1c562'

export const plans = describe(contracts, {
  listPlans: {
    text: prose(`Lists plans, the newest first. A plan is kept for 30 days after its end.`),
    query: {
      ...cursorPage,
      state: ['Only plans in these states.', ['READY']],
      kind: ['Only plans of these kinds.', ['SELECTION']],
    },
    answers: { 200: 'A page of plans.' },
    answer: {
      plans: ['The plans on this page.', planFields],
      pagination: ['Where the next page begins.', cursorPaginationFields],
    },
  },

  getPlan: {
    text: prose(`Reads a plan: its state, its counts, and how far the work on it is.`),
    path: pathOf('plan-ready'),
    answers: { 200: 'The plan.' },
    answer: planFields,
  },

  listPlanChanges: {
    text: prose(`
      Lists the changes of a plan with each value before and after, in the order in which they are made. A page ends at 1 MiB.
      Of a plan with more than 90,000 changes, a page may be short if a filter leaves few: \`has_more\` tells.`),
    path: pathOf('plan-ready'),
    query: {
      ...cursorPage,
      action: ['Only these kinds of changes.', ['LOCK']],
      outcome: ['Only changes of which this has become.', ['PLANNED']],
    },
    send: { page_limit: 3 },
    answers: { 200: 'A page of changes.' },
    answer: {
      changes: ['The changes on this page.', changeFields],
      pagination: ['Where the next page begins.', cursorPaginationFields],
    },
  },

  listPlanFaults: {
    text: prose(`
      Lists the rows and people that have a fault, and why: nothing is planned for them. The code is that of the call for one
      user, where there is one. Up to 10,000 are kept; \`counts.faults\` has their number.

      **CSV:** \`format=CSV\` answers all of them in one text for spreadsheets: RFC 4180, with the header
      \`row,column,code,detail\`. A cell that begins like a formula has an apostrophe in front. It has no pages, so
      \`page_cursor\` and \`page_limit\` are refused.`),
    path: pathOf('plan-ready'),
    query: { ...cursorPage, format: ['`JSON`, page by page, which is the default; or `CSV`, all at once.', 'JSON'] },
    answers: { 200: 'A page of faults.' },
    answer: {
      faults: [
        'The faults on this page.',
        {
          row: ['The place of the user in `user_ids`, from 1; null for other selections.', 1],
          column: ['Always null for selections.', null],
          code: ['The code of the single call.', 'USER_NOT_FOUND'],
          detail: ['What it is about, as a sentence.', 'User user-999: There is no such user'],
        },
      ],
      pagination: ['Where the next page begins.', cursorPaginationFields],
    },
  },

  createPlan: {
    text: prose(`
      Works out changes of users, and makes none of them: a worker looks at everybody who matches, by the rules of the single
      calls and the rights of the caller. Within seconds the plan is \`READY\`: read its changes, then apply it.

      **SELECTION:** \`select\` says who (filters combine with AND), \`change\` says what, one of \`action\`, \`update\`,
      \`assign\` and \`unassign\`. An empty or blank filter is refused: it must not mean everybody. With \`limits.changes\`
      a plan with more changes is \`REFUSED\`.

      **FILE:** the plan is \`WAITING\` for 24 hours. Upload the file in parts (*Upload a part of the file of a plan*), then have it
      checked (*Check the uploaded file of a plan*). Each row says how one person is to be; who is so already is not changed.

      **UNDO:** takes back what a plan has done, that is \`DONE\` or was cancelled: values, states and roles as before. What
      somebody has changed since is shown and skipped. One plan at a time takes back another one. An undo can be undone, too.

      **Service tokens** need \`USERS\`, and \`USER_GROUPS\` too where the plan selects by a group, assigns or unassigns.

      **Limits:** 20 plans that have not ended.`),
    body: {
      kind: ['`SELECTION`, `FILE` or `UNDO`.', 'SELECTION'],
      title: ['A title: one line of up to 255 characters. Null for none.', 'Lock the warehouse'],
      select: ['Only of a `SELECTION`: which users.', selectFields, { tag: 'night-shift' }],
      change: [
        'Only of a `SELECTION`: what is done with each of them, one of these.',
        {
          action: ['A change of the state.', 'LOCK'],
          update: [
            'A merge patch as for a single user, without names, username, e-mail address and external id.',
            {
              role,
              required_actions,
              attributes,
              tags: [
                'The whole set of labels as a list, or an object with labels to add and to remove.',
                tagChange,
                { add: ['night-shift'], remove: ['day-shift'] },
              ],
              profile_picture,
              preferred_language,
              primary_user_group_id,
            },
          ],
          assign: ['A role in a user group to give.', groupRole],
          unassign: ['A role in a user group to take.', groupRole],
        },
        { action: 'LOCK' },
      ],
      limits: [
        'Only of a `SELECTION` or a `FILE`: what the plan must not exceed. A `SELECTION` has only `changes`.',
        {
          changed_percent: ['The most users to change, in percent, 0 to 100; 20 if not given.', 20],
          lifecycle_percent: [
            'The most users to lock, deactivate or delete, in percent, 0 to 100; 5 if not given. Absent users count.',
            5,
          ],
          cleared_percent: ['The most users of whom one field is cleared, in percent, 0 to 100; 5 if not given.', 5],
          changes: ['The most changes, 0 to 1,000,000.', 100],
        },
        { changes: 100 },
      ],
      plan_id: ['Only of an `UNDO`: the id of the plan to take back.', 'plan-done'],
      ...fileFields,
    },
    answers: { 201: 'The plan: `CHECKING`, or `WAITING` for its file.' },
    answer: planFields,
    examples: [
      {
        title: 'Lock the warehouse',
        status: 201,
        body: {
          kind: 'SELECTION',
          title: 'Lock the warehouse',
          select: { attribute_technical_name: 'department', attribute_value: 'Warehouse' },
          change: { action: 'LOCK' },
          limits: { changes: 100 },
        },
      },
      {
        title: 'Load a file',
        status: 201,
        body: {
          kind: 'FILE',
          title: 'HR of tonight',
          columns: { 'Personnel number': 'external_id' },
          limits: { changed_percent: 10 },
        },
      },
      { title: 'Take back a plan', status: 201, body: { kind: 'UNDO', plan_id: 'plan-done' } },
    ],
  },

  putPlanPart: {
    text: prose(`
      Uploads a part of the file of a plan that is \`WAITING\`: its bytes as they are, \`application/octet-stream\`, up to 4 MiB.
      The file is cut anywhere, and its parts are numbered from 1. They can come in any order, and at the same time. A part that
      is sent again replaces the earlier one, until the file is checked.

      **Compressed:** with \`Content-Encoding: gzip\` each part is compressed by itself, and may have 32 MiB when it is unpacked.

      **Limits:** 1,000 parts, 500 MiB in all when they are unpacked.`),
    path: { ...pathOf('plan-upload'), n: ['The number of the part, 1 to 1000.', '1'] },
    examples: [
      { title: 'The only part', status: 204, body: 'username,department\nuser-021,Sales\nuser-022,Warehouse\n' },
    ],
    answers: { 204: 'The part is stored.' },
  },

  checkPlanFile: {
    text: prose(`
      Says that the whole file of a plan is uploaded, and has its changes worked out. From now on no part can be replaced. Number
      of parts, bytes and SHA-256 are compared with what was uploaded: if they differ, the plan waits for its file as before, and
      this is refused. Of a file of more than 64 MiB it is found out later: then the plan is \`WAITING\` again, with a fault.

      **CSV** by RFC 4180, with comma, semicolon or tab; in UTF-8, or in UTF-16 with a byte order mark. Headers are field names
      (\`external_id\`, \`username\`, \`first_name\` …), \`attribute:\` and a technical name, technical names or titles of
      attributes. Case, spaces, \`_\` and \`-\` make no difference.

      **Limits:** 1,000,000 rows of up to 64 kB, 1,000 columns. A file that ends inside a quote, lacks the column of
      \`match_by\` or has two columns for one field is \`REFUSED\`.`),
    path: pathOf('plan-waiting'),
    body: {
      parts: ['The number of parts.', 1],
      bytes: ['The bytes of the whole file, unpacked.', 54],
      sha256: ['The SHA-256 of the whole file, unpacked, as 64 hexadecimal digits.', sum],
      rows: [
        'The number of rows, without the header; a file with another number is refused. Required where `absent` is not `KEEP`.',
        2,
      ],
    },
    examples: [{ title: 'Check it', status: 202, body: { parts: 1, bytes: 54, sha256: sum, rows: 2 } }],
    answers: { 202: 'The plan, `CHECKING`.' },
    answer: planFields,
  },

  applyPlan: {
    text: prose(`
      Begins to make the changes of a plan that is \`READY\`. A worker makes them, each exactly once, with the rights that the
      caller has at that moment. A change is made only if each field that it writes still has the value from before, and the
      user still matches; otherwise it is \`SKIPPED\`. It is one plan at a time: the next one waits as \`APPLYING\`.

      **Events** and webhooks of the changes are those of the single calls, and name this call.

      **Repeating it** by the same caller does nothing more. If the caller loses the right meanwhile, the plan is \`CANCELLED\`.`),
    path: pathOf('plan-apply'),
    body: { planned: ['`counts.planned` as the caller has read it: another number is refused.', 2] },
    examples: [{ title: 'Apply it', status: 202, body: { planned: 2 } }],
    answers: { 202: 'The plan, `APPLYING`.' },
    answer: planFields,
  },

  cancelPlan: {
    text: prose(`
      Ends a plan. What was done stays, and can be taken back; changes that are being made at this moment may still be made.

      **Repeating it** changes nothing.`),
    path: pathOf('plan-cancel'),
    answers: { 200: 'The plan, `CANCELLED`.' },
    answer: planFields,
  },
})
