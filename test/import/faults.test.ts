import { beforeAll, describe, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { faultLines, ImportRefused } from '../../domain/import/importErrors.ts'
import { dump } from '../harness/audit.ts'
import type { Any } from '../harness/call.ts'
import type { Service } from '../harness/service.ts'
import { contextOf, small } from './directory.ts'
import { emptyTable } from './emptyTable.ts'

type Case = [what: string, change: (directory: Any) => unknown, faults: string[]]

/** The faults of an import, one line each. */
async function faultsOf(service: Service, directory: unknown): Promise<string[]> {
  const error = await importDirectory(contextOf(service), directory).catch((thrown: unknown) => thrown)
  expect(error, 'the import is refused').toBeInstanceOf(ImportRefused)
  return faultLines((error as ImportRefused).faults, 1_000)
}

const title = [{ language: 'en-GB', text: 'x' }]
const person = (parts: object) => ({ username: 'zoe', first_name: 'Zoe', last_name: 'Z', ...parts })
const group = (parts: object) => ({ title, type: 'CUSTOM', ...parts })
const role = (parts: object) => ({ title, scope: 'USER_GROUPS', type: 'CUSTOM', permissions: [], ...parts })

const shapes: Case[] = [
  ['an unknown section', (d) => (d.groups = []), ['groups: must be a section of a directory']],
  [
    '__proto__ as a section',
    (d) => Object.defineProperty(d, '__proto__', { value: [], enumerable: true }),
    ['__proto__: must be a section of a directory'],
  ],
  ['a section that is no list', (d) => (d.channel_user_groups = {}), ['channel_user_groups: must be array']],
  [
    'a record that is no object',
    (d) => d.users.push('zoe', null),
    ['users[5]: must be object', 'users[6]: must be object'],
  ],
  ['an unknown field', (d) => (d.users[0].nickname = 'A'), ['users[0].nickname: must be a known property']],
  ['a missing field', (d) => delete d.users[1].last_name, ['users[1].last_name: must be given']],
  [
    'a name of white space',
    (d) => (d.users[0].first_name = '  '),
    ['users[0].first_name: must have at least 1 character'],
  ],
  [
    'text that was no UTF-8',
    (d) => {
      d.organisation.default_language = 'd\ufffd'
      d.users[0].tags = [{ name: 'caf\ufffd' }]
      d.users[1].last_name = 'Gr\ufffdn'
    },
    [
      'organisation.default_language: must be UTF-8: it has U+FFFD, which stands for bytes that are not',
      'organisation.default_language: must have an allowed form',
      'users[0].tags.0.name: must be UTF-8: it has U+FFFD, which stands for bytes that are not',
      'users[1].last_name: must be UTF-8: it has U+FFFD, which stands for bytes that are not',
    ],
  ],
  [
    'a text that is no e-mail',
    (d) => (d.users[1].email = 'ben@'),
    [
      'users[1].email: must have at least 5 characters',
      'users[1].email: must be an e-mail address, with up to 64 characters before the @',
    ],
  ],
  [
    'an id that no path can hold',
    (d) => d.users.push(person({ id: 'zoë' })),
    ['users[5].id: must have an allowed form'],
  ],
  ['a reserved id', (d) => d.roles.push(role({ id: 'batch' })), ['roles[4].id: must have an allowed form']],
  [
    'a status that there is not',
    (d) => (d.users[0].status = 'AWAY'),
    ['users[0].status: must be one of ACTIVE, LOCKED, DEACTIVATED, PENDING_DELETION, null'],
  ],
  [
    'a text that is no moment',
    (d) => (d.users[3].deletion_at = 'soon'),
    ['users[3].deletion_at: must be a moment that the calendar has'],
  ],
  [
    'an attribute value that is too long',
    (d) => (d.users[1].attributes[0].value = 'x'.repeat(256)),
    ['users[1].attributes.0.value: must have at most 255 characters'],
  ],
  ['a title without a text', (d) => (d.user_groups[2].title = []), ['user_groups[2].title: must have at least 1 item']],
  [
    'a text that is no language',
    (d) => (d.organisation.languages = ['en-GB', '?']),
    ['organisation.languages.1: must have an allowed form'],
  ],
  ['an organisation that is no object', (d) => (d.organisation = []), ['organisation: must be object']],
  [
    'a source that there is not',
    (d) => (d.user_group_assignments[1].source = 'GIVEN'),
    ['user_group_assignments[1].source: must be one of PRIMARY, MANUAL, RULE'],
  ],
  [
    'a permission twice',
    (d) => (d.roles[0].permissions = ['X', 'Y', 'X']),
    ['roles[0].permissions: must not have an item twice'],
  ],
  [
    'several faults in several records',
    (d) => {
      d.users[0].role = 'BOSS'
      delete d.users[2].username
      d.channels[0].default_role_id = null
    },
    [
      'channels[0].default_role_id: must be string',
      'users[0].role: must be one of USER, ADMIN, null',
      'users[2].username: must be given',
    ],
  ],
]

const twice: Case[] = [
  ['a user id', (d) => d.users.push(person({ id: 'ada' })), ['users[5].id: is the same as that of users[0]']],
  [
    'a username, regardless of case',
    (d) => d.users.push(person({ username: 'ADA' })),
    ['users[5].username: is the same as that of users[0]'],
  ],
  [
    'a user without an id',
    (d) => d.users.push(person({ username: 'Cleo' })),
    ['users[5].username: is the same as that of users[2]'],
  ],
  [
    'an external id of users',
    (d) => d.users.push(person({ external_id: 'E-2' })),
    ['users[5].external_id: is the same as that of users[1]'],
  ],
  ['a role id', (d) => d.roles.push(role({ id: 'coach' })), ['roles[4].id: is the same as that of roles[0]']],
  [
    'a group id and an external id',
    (d) => d.user_groups.push(group({ id: 'sales', external_id: 'G-2' })),
    [
      'user_groups[5].id: is the same as that of user_groups[2]',
      'user_groups[5].external_id: is the same as that of user_groups[3]',
    ],
  ],
  [
    'a technical name',
    (d) => d.attribute_definitions.push({ ...d.attribute_definitions[0] }),
    ['attribute_definitions[1].technical_name: is the same as that of attribute_definitions[0]'],
  ],
  ['a channel', (d) => d.channels.push({ ...d.channels[0] }), ['channels[2].id: is the same as that of channels[0]']],
  [
    'a group on a channel',
    (d) => d.channel_user_groups.push({ ...d.channel_user_groups[0], role_id: 'channel-member' }),
    ['channel_user_groups[1].group_id: is the same as that of channel_user_groups[0], and so is channel_id'],
  ],
  [
    'a role in a group, whatever its source',
    (d) => d.user_group_assignments.push({ ...d.user_group_assignments[0], source: 'MANUAL' }),
    [
      'user_group_assignments[5].role_id: is the same as that of user_group_assignments[0], and so are group_id and user_id',
    ],
  ],
  [
    'a role on a channel',
    (d) => d.channel_assignments.push({ ...d.channel_assignments[0] }),
    [
      'channel_assignments[2].role_id: is the same as that of channel_assignments[0], and so are channel_id and user_id',
    ],
  ],
  [
    'a task and its external id',
    (d) => d.tasks.push({ ...d.tasks[1] }),
    [
      'tasks[2].id: is the same as that of tasks[1]',
      'tasks[2].external_id: is the same as that of tasks[1], and so is author_id',
    ],
  ],
  [
    'a recipient',
    (d) => d.task_assignments.push({ task_id: 'drill', user_id: 'ben' }),
    ['task_assignments[3].user_id: is the same as that of task_assignments[0], and so is task_id'],
  ],
]

const references: Case[] = [
  ['a parent', (d) => (d.user_groups[3].parent_id = 'nowhere'), ['user_groups[3].parent_id: must name a user group']],
  [
    'a primary group',
    (d) => (d.users[1].primary_user_group_id = 'nowhere'),
    [
      'users[1].primary_user_group_id: must name a user group',
      'user_group_assignments[0].source: can be PRIMARY only in the primary group, as a member',
    ],
  ],
  [
    'an attribute',
    (d) => (d.users[1].attributes[0].name = 'shoe_size'),
    ['users[1].attributes.0.name: must name an attribute definition'],
  ],
  [
    'all of a group assignment',
    (d) => d.user_group_assignments.push({ group_id: 'g', user_id: 'u', role_id: 'r', source: 'MANUAL' }),
    [
      'user_group_assignments[5].group_id: must name a user group',
      'user_group_assignments[5].role_id: must name a role',
      'user_group_assignments[5].user_id: must name a user',
    ],
  ],
  ['a default role', (d) => (d.channels[0].default_role_id = 'r'), ['channels[0].default_role_id: must name a role']],
  [
    'all of a channel’s group',
    (d) => d.channel_user_groups.push({ channel_id: 'c', group_id: 'g', role_id: 'r' }),
    [
      'channel_user_groups[1].channel_id: must name a channel',
      'channel_user_groups[1].group_id: must name a user group',
      'channel_user_groups[1].role_id: must name a role',
    ],
  ],
  [
    'all of a channel assignment',
    (d) => d.channel_assignments.push({ channel_id: 'c', user_id: 'u', role_id: 'r' }),
    [
      'channel_assignments[2].channel_id: must name a channel',
      'channel_assignments[2].role_id: must name a role',
      'channel_assignments[2].user_id: must name a user',
    ],
  ],
  ['an author', (d) => (d.tasks[0].author_id = 'u'), ['tasks[0].author_id: must name a user']],
  [
    'all of a task assignment',
    (d) => d.task_assignments.push({ task_id: 't', user_id: 'u' }),
    ['task_assignments[3].task_id: must name a task', 'task_assignments[3].user_id: must name a user'],
  ],
  [
    'anything, as its name is empty or longer than any',
    (d) => {
      const long = 'x'.repeat(100_000)
      d.channel_user_groups.push({ channel_id: 'news', group_id: 'ß'.repeat(700), role_id: '\ud800' })
      d.user_group_assignments.push({ group_id: '', user_id: '', role_id: '', source: 'MANUAL' })
      d.channel_assignments.push({ channel_id: long, user_id: long, role_id: long })
      d.task_assignments.push({ task_id: long, user_id: '' })
    },
    [
      'channel_user_groups[1].group_id: must name a user group',
      'channel_user_groups[1].role_id: must name a role',
      'user_group_assignments[5].group_id: must name a user group',
      'user_group_assignments[5].role_id: must name a role',
      'user_group_assignments[5].user_id: must name a user',
      'channel_assignments[2].channel_id: must name a channel',
      'channel_assignments[2].role_id: must name a role',
      'channel_assignments[2].user_id: must name a user',
      'task_assignments[3].task_id: must name a task',
      'task_assignments[3].user_id: must name a user',
    ],
  ],
  [
    'a record that has faults exists all the same',
    (d) => {
      d.users[1].email = 'no'
      d.user_groups[2].type = 'TEAM'
      d.roles[0].scope = 'HERE'
      d.channels[0].title = []
      d.tasks[0].title = ''
      d.attribute_definitions[0].attribute_type = 'NUMBER'
    },
    [
      'roles[0].scope: must be one of ORGANISATION, USER_GROUPS, CHANNELS',
      'user_groups[2].type: must be one of ROOT, ALL_USERS, CUSTOM',
      'attribute_definitions[0].attribute_type: must be one of TEXT, PHONE_NUMBER, DATE',
      'channels[0].title: must have at least 1 item',
      'users[1].email: must have at least 5 characters',
      'users[1].email: must be an e-mail address, with up to 64 characters before the @',
      'tasks[0].title: must have at least 1 character',
    ],
  ],
]

const rules: Case[] = [
  [
    'one language in two spellings',
    (d) => (d.organisation.languages = ['en-GB', 'de-DE', 'EN-gb']),
    ['organisation.languages.2: must not be given twice'],
  ],
  [
    'a default language that is not one of the languages',
    (d) => (d.organisation.default_language = 'fr-FR'),
    ['organisation.default_language: must be one of the languages'],
  ],
  [
    'two texts in one language',
    (d) => d.roles[0].title.push({ language: 'en-gb', text: 'y' }),
    ['roles[0].title.1.language: must not be given twice'],
  ],
  [
    'texts in a language that the organisation does not use',
    (d) => {
      d.organisation.languages = ['en-GB']
      d.channels[0].title.push({ language: 'de-DE', text: 'y' })
      d.user_groups[2].description = [{ language: 'fr-FR', text: 'z' }]
    },
    [
      'user_groups[2].description.0.language: must be a language of the organisation',
      'channels[0].title.1.language: must be a language of the organisation',
    ],
  ],
  [
    'texts of more characters than a list could carry',
    (d) => {
      d.organisation.languages = ['en-GB', ...Array.from({ length: 24 }, (_, n) => `de-x-${n}`)]
      d.user_groups[2].description = d.organisation.languages.map((language: string) => ({
        language,
        text: 'z'.repeat(800),
      }))
    },
    ['user_groups[2].description: must have at most 20000 characters in title and description together'],
  ],
  [
    'two predefined roles of a type',
    (d) =>
      d.roles.push(
        role({ id: 'm1', type: 'PREDEFINED', predefined_role_type: 'USER_GROUP_OWNER' }),
        role({ id: 'm2', type: 'PREDEFINED', predefined_role_type: 'USER_GROUP_OWNER' }),
      ),
    ['roles[5].predefined_role_type: must be unique: the role m1 has it already'],
  ],
  [
    'a predefined role that is not what it must be',
    (d) => d.roles.push(role({ id: 'm1', predefined_role_type: 'CHANNEL_OWNER' })),
    [
      'roles[4].scope: must be CHANNELS for this predefined role',
      'roles[4].type: must be PREDEFINED for a predefined role',
      'channel_assignments[0].role_id: must name a role',
    ],
  ],
  [
    'two roots',
    (d) => d.user_groups.push(group({ id: 'top-2', type: 'ROOT' })),
    ['user_groups[5].type: must be unique: the group top has it already'],
  ],
  [
    'a root below something',
    (d) => (d.user_groups[0].parent_id = 'sales'),
    [
      'user_groups[0].parent_id: must not be given: the root has no parent',
      ...[0, 2].map((n) => `user_groups[${n}].parent_id: puts the group below itself`),
    ],
  ],
  [
    'an archived root',
    (d) => (d.user_groups[0].status = 'ARCHIVED'),
    ['user_groups[0].status: must be ACTIVE for a predefined group'],
  ],
  [
    'a group that is its own parent',
    (d) => (d.user_groups[4].parent_id = 'closed'),
    ['user_groups[4].parent_id: puts the group below itself'],
  ],
  [
    'a circle of groups, and a group below it',
    (d) => {
      d.user_groups[2].parent_id = 'sales-north'
      d.user_groups.push(group({ id: 'below', parent_id: 'sales' }))
    },
    ['user_groups[2].parent_id: puts the group below itself', 'user_groups[3].parent_id: puts the group below itself'],
  ],
  [
    'more than 50 attribute definitions',
    (d) => {
      for (let n = 0; n < 47; n++)
        d.attribute_definitions.push({ technical_name: `extra_${n}`, title, attribute_type: 'TEXT' })
    },
    ['attribute_definitions: would be 51, and 50 are allowed'],
  ],
  [
    'an attribute given twice',
    (d) => (d.users[1].attributes[1].name = 'department'),
    ['users[1].attributes.1.name: must not be given twice'],
  ],
  [
    'a date that the calendar does not have',
    (d) => (d.users[1].attributes[1].value = '2025-02-29'),
    ['users[1].attributes.1.value: must be a date, YYYY-MM-DD'],
  ],
  [
    'a deadline for somebody who stays',
    (d) => (d.users[0].deletion_at = '2026-12-01T00:00:00.000Z'),
    ['users[0].deletion_at: must not be given unless the status is PENDING_DELETION'],
  ],
  [
    'an archived primary group',
    (d) => {
      d.users[0].primary_user_group_id = 'closed'
    },
    ['users[0].primary_user_group_id: names a user group that is archived'],
  ],
  [
    'a role of another scope in a group',
    (d) => (d.user_group_assignments[1].role_id = 'editor'),
    ['user_group_assignments[1].role_id: must be a role of the scope USER_GROUPS'],
  ],
  [
    'a role in a group that nobody hands out',
    (d) => (d.user_group_assignments[1].role_id = 'auditor'),
    ['user_group_assignments[1].role_id: is a role that cannot be handed out'],
  ],
  [
    'a role of another scope on a channel',
    (d) => (d.channel_assignments[1].role_id = 'coach'),
    ['channel_assignments[1].role_id: must be a role of the scope CHANNELS'],
  ],
  [
    'a role on a channel that nobody hands out',
    (d) => (d.channel_assignments[1].role_id = 'auditor-2'),
    ['channel_assignments[1].role_id: is a role that cannot be handed out'],
  ],
  [
    'a role that nobody hands out, by way of a group',
    (d) => (d.channel_user_groups[0].role_id = 'auditor-2'),
    ['channel_user_groups[0].role_id: is a role that cannot be handed out'],
  ],
  [
    'a default role of another scope',
    (d) => (d.channels[0].default_role_id = 'coach'),
    ['channels[0].default_role_id: must be a role of the scope CHANNELS'],
  ],
  [
    'a primary assignment elsewhere',
    (d) => (d.user_group_assignments[1].source = 'PRIMARY'),
    ['user_group_assignments[1].source: can be PRIMARY only in the primary group, as a member'],
  ],
  ['a task that nobody has', (d) => d.task_assignments.pop(), ['tasks[1].id: is a task without assignments']],
  [
    'a task that is too long',
    (d) => (d.tasks[0].body = { plain: 'x'.repeat(30_000), html: 'x'.repeat(20_001) }),
    ['tasks[0].body: must have at most 50000 characters in all its forms: plain has 30000; html has 20001'],
  ],
  [
    'due dates of the wrong form',
    (d) => {
      d.tasks[0].due_at = { due_at_type: 'DATE', date_time: '2026-12-24T10:00:00Z' }
      d.tasks[1].due_at = { due_at_type: 'DATE_TIME', date: '2026-12-24' }
    },
    [
      'tasks[0].due_at.date: must be given',
      'tasks[0].due_at.date_time: must not be given with DATE',
      'tasks[1].due_at.date_time: must be given',
      'tasks[1].due_at.date: must not be given with DATE_TIME',
    ],
  ],
]

let service: Service
beforeAll(async () => {
  service = await emptyTable()
})

async function isRefused(change: Case[1], faults: string[]): Promise<void> {
  const directory = small()
  change(directory)
  expect((await faultsOf(service, directory)).sort()).toEqual([...faults].sort())
}

describe('a file with faults is refused, each fault named, and nothing of it is written', () => {
  it.each(shapes)('shape: %s', (_what, change, faults) => isRefused(change, faults))
  it.each(twice)('twice: %s', (_what, change, faults) => isRefused(change, faults))
  it.each(references)('names nothing: %s', (_what, change, faults) => isRefused(change, faults))
  it.each(rules)('rule: %s', (_what, change, faults) => isRefused(change, faults))

  it.each([undefined, null, 'x', 7, []])('no directory at all: %j', async (directory) => {
    expect(await faultsOf(service, directory)).toEqual(['directory: must be an object'])
  })

  it('tells of all kinds of faults at once', async () => {
    const directory = small()
    directory.users.push(person({ id: 'ada', email: 'x' }), person({ primary_user_group_id: 'nowhere' }))
    directory.roles[0].scope = 'CHANNELS'
    expect(await faultsOf(service, directory)).toEqual([
      'users[5].email: must have at least 5 characters',
      'users[5].email: must be an e-mail address, with up to 64 characters before the @',
      'users[6].primary_user_group_id: must name a user group',
      'user_group_assignments[1].role_id: must be a role of the scope USER_GROUPS',
      'user_group_assignments[4].role_id: must be a role of the scope USER_GROUPS',
    ])
  })

  it('has written nothing at all', async () => {
    expect(await dump(service)).toEqual([])
  })
})

describe('what is stored already decides, too', () => {
  let filled: Service
  beforeAll(async () => {
    filled = await emptyTable()
    await importDirectory(contextOf(filled), small())
  })

  const cases: Case[] = [
    [
      'a username that somebody has',
      (d) => (d.users = [person({ username: 'BEN', id: 'zoe' })]),
      ['users[0].username: must not belong to another user'],
    ],
    [
      'names of somebody who can still be restored',
      (d) => (d.users = [person({ username: 'dan', id: 'zoe' })]),
      ['users[0].username: must not belong to another user'],
    ],
    [
      'an external id that somebody has',
      (d) => (d.users = [person({ external_id: 'E-1' })]),
      ['users[0].external_id: must not belong to another user'],
    ],
    [
      'another root',
      (d) => (d.user_groups = [group({ id: 'top-2', type: 'ROOT' })]),
      ['user_groups[0].type: must be unique: the group top has it already'],
    ],
    [
      'another role of a predefined type',
      (d) => (d.roles = [role({ id: 'm', type: 'PREDEFINED', predefined_role_type: 'USER_GROUP_MEMBER' })]),
      ['roles[0].predefined_role_type: must be unique: the role user-group-member has it already'],
    ],
    [
      'a role that would become another',
      (d) => (d.roles = [{ ...small().roles[0], scope: 'CHANNELS' }]),
      ['roles[0].scope: cannot change: others may rely on what is stored'],
    ],
    [
      'an attribute that would become another',
      (d) => (d.attribute_definitions = [{ ...small().attribute_definitions[0], attribute_type: 'TEXT' }]),
      ['attribute_definitions[0].attribute_type: cannot change: others may rely on what is stored'],
    ],
    [
      'another place of the group of all users',
      (d) => (d.user_groups = [group({ id: 'everybody', type: 'ALL_USERS', parent_id: 'sales' })]),
      ['user_groups[0].parent_id: cannot change: others may rely on what is stored'],
    ],
    [
      'a circle with groups that are stored',
      (d) => (d.user_groups = [group({ id: 'sales', parent_id: 'sales-north' })]),
      ['user_groups[0].parent_id: puts the group below itself'],
    ],
    [
      'more attribute definitions than fit',
      (d) => {
        d.attribute_definitions = Array.from({ length: 47 }, (_, n) => ({
          technical_name: `extra_${n}`,
          title,
          attribute_type: 'TEXT',
        }))
      },
      ['attribute_definitions: would be 51, and 50 are allowed'],
    ],
    [
      'archiving a group with members',
      (d) => (d.user_groups = [group({ id: 'sales', status: 'ARCHIVED' })]),
      ['user_groups[0].status: cannot become ARCHIVED by an import while the group has members'],
    ],
    [
      'a primary group that is archived',
      (d) => (d.users = [person({ primary_user_group_id: 'closed' })]),
      ['users[0].primary_user_group_id: names a user group that is archived'],
    ],
    [
      'a default language that the organisation lacks',
      (d) => (d.organisation = { default_language: 'fr-FR' }),
      ['organisation.default_language: must be one of the languages'],
    ],
  ]

  it.each(cases)('%s', async (_what, change, faults) => {
    const before = await dump(filled)
    const directory = {}
    change(directory)
    expect(await faultsOf(filled, directory)).toEqual(faults)
    expect(await dump(filled)).toEqual(before)
  })
})
