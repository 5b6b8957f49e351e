import { existsSync, readFileSync } from 'node:fs'
import { access } from './access.ts'
import { attributes } from './attributes.ts'
import { calendar } from './calendar.ts'
import { channelAssignments } from './channelAssignments.ts'
import { channels } from './channels.ts'
import type { AnyOperation, Json } from './describe.ts'
import { events } from './events.ts'
import { groupAssignments } from './groupAssignments.ts'
import { groups } from './groups.ts'
import { organisation } from './organisation.ts'
import { own } from './own.ts'
import { people } from './people.ts'
import { plans } from './plans.ts'
import { roles } from './roles.ts'
import { rules } from './rules.ts'
import { serviceTokens } from './serviceTokens.ts'
import { taskAssignments } from './taskAssignments.ts'
import { tasks } from './tasks.ts'
import { users } from './users.ts'
import { webhooks } from './webhooks.ts'

/** The reference feature by feature, in the order in which their examples are run. */
export const features: Readonly<Record<string, Readonly<Record<string, AnyOperation>>>> = {
  users,
  access,
  own,
  people,
  groups,
  groupAssignments,
  rules,
  roles,
  attributes,
  channels,
  channelAssignments,
  tasks,
  taskAssignments,
  organisation,
  calendar,
  events,
  serviceTokens,
  webhooks,
  plans,
}

const operations: Readonly<Record<string, AnyOperation>> = Object.assign({}, ...Object.values(features))

/** The texts of an operation. Throws if it is not described. */
export function referenceOf(name: string): AnyOperation {
  const texts = operations[name]
  if (!texts) throw new Error(`${name} is not described in schemas/reference/`)
  return texts
}

/** The file with the answers to a feature's examples. test/reference/examples.test.ts writes it. */
export const answersFile = (feature: string): URL => new URL(`answers/${feature}.json`, import.meta.url)

/** The file with a message of each type, in the form that webhooks get. The same test writes it. */
export const messagesFile = new URL('answers/messages.json', import.meta.url)

type Answers = Readonly<Record<string, Readonly<Record<string, Json>>>>

const recorded: Answers = Object.assign(
  {},
  ...Object.keys(features)
    .map(answersFile)
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8'))),
)

/** The recorded answer to an example. */
export const recordedAnswer = (operation: string, example: string): Json | undefined => recorded[operation]?.[example]
