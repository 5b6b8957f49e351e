import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest, in this order: files that start the service or package it, and files of many calls. */
const LONG = [
  'aws/package',
  'http/http',
  'local/start',
  'local/tour',
  ...['work/stream', 'channels/channelLists', 'import/lines', 'groups/deleteGroup', 'tasks/taskFaults'],
  ...['users/roleFilter', 'users/lists', 'contract/fuzz', 'tasks/tasks', 'tasks/taskAssignments', 'contract/done'],
  ...['ledger/ledger', 'import/import', 'import/crash', 'users/validation', 'reference/examples', 'tasks/deadline'],
  ...[
    'import/command',
    'import/faults',
    'import/largest',
    'users/states',
    'users/longRuns',
    'attributes/attributeUses',
  ],
  ...['local/dynamodb', 'users/leavingCounts', 'users/anyPage', 'tasks/cursorCosts', 'users/searchAfterChanges'],
]

/**
 * Runs long files first, so that no worker is left with one at the end. vitest orders by the times of the last run; a fresh
 * clone has none.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((name) => moduleId.includes(`/${name}.`))
      return at < 0 ? LONG.length : at
    }
    return sorted.sort((a, b) => place(a) - place(b))
  }
}
