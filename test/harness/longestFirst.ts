import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest: those that start the service or package it, and those of many calls. In a fresh clone the first
 * Serverless command fills the caches that make the next ones faster, so `package` runs it alone.
 */
const LONG = [
  ...['aws/package', 'contract/fuzz', 'ledger/ledger', 'tasks/taskFaults', 'work/worker', 'contract/done'],
  ...['http/http', 'aws/deployCommand', 'local/start', 'local/tour', 'users/pages'],
  ...['import/import', 'groups/deleteGroup', 'users/states', 'import/lines', 'reference/examples', 'import/command'],
  ...['tasks/manyRecipients', 'tasks/taskCrashes', 'attributes/attributeUses', 'tasks/tasks', 'work/workThrough'],
  ...['channels/channelLists', 'import/largest', 'local/migration', 'import/crash', 'users/lists', 'users/validation'],
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
