import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest, in this order: files that start the service or package it, and files of many calls. */
const LONG = [
  'aws/package',
  'http/http',
  'local/start',
  'local/tour',
  'aws/deployCommand',
  ...['users/pages', 'contract/done', 'work/stream', 'tasks/taskFaults', 'groups/deleteGroup'],
  ...['import/lines', 'contract/fuzz', 'ledger/ledger', 'reference/examples', 'users/purge'],
  ...['import/crash', 'channels/channelLists', 'import/largest', 'contract/repetition', 'attributes/attributeUses'],
  ...[
    'work/worker',
    'tasks/tasks',
    'users/lists',
    'import/conflicts',
    'import/import',
    'users/states',
    'users/leavingCounts',
  ],
  ...['import/command', 'work/workThrough', 'groups/groupAssignments', 'tasks/deadline', 'local/dynamodb'],
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
