import * as access from './access.ts'
import * as attributes from './attributes.ts'
import * as calendar from './calendar.ts'
import * as channelAssignments from './channelAssignments.ts'
import * as channels from './channels.ts'
import type { Contract } from './contract.ts'
import * as events from './events.ts'
import * as groupAssignments from './groupAssignments.ts'
import * as groups from './groups.ts'
import * as organisation from './organisation.ts'
import * as own from './own.ts'
import * as people from './people.ts'
import * as plans from './plans.ts'
import * as roles from './roles.ts'
import * as rules from './rules.ts'
import * as serviceTokens from './serviceTokens.ts'
import * as taskAssignments from './taskAssignments.ts'
import * as tasks from './tasks.ts'
import * as users from './users.ts'
import * as webhooks from './webhooks.ts'

/** The contracts with their exact types, by name. */
export type Contracts = typeof attributes &
  typeof calendar &
  typeof channelAssignments &
  typeof channels &
  typeof events &
  typeof groupAssignments &
  typeof groups &
  typeof organisation &
  typeof own &
  typeof people &
  typeof plans &
  typeof access &
  typeof roles &
  typeof serviceTokens &
  typeof rules &
  typeof taskAssignments &
  typeof tasks &
  typeof users &
  typeof webhooks

const isContract = (value: unknown): value is Contract =>
  typeof value === 'object' && value !== null && 'answers' in value

/** Every endpoint's contract, by name. */
export const contracts: Readonly<Record<string, Contract>> = Object.fromEntries(
  [
    users,
    access,
    own,
    people,
    plans,
    groupAssignments,
    channels,
    channelAssignments,
    taskAssignments,
    tasks,
    calendar,
    organisation,
    groups,
    rules,
    roles,
    attributes,
    events,
    serviceTokens,
    webhooks,
  ]
    .flatMap((module): unknown[] => Object.values(module))
    .filter(isContract)
    .map((one) => [one.name, one]),
)
