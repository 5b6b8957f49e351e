import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest: files that start the service or package it, and files of many calls. */
const LONG =
  /\/(local\/(tour|start)|aws\/package|http\/(http|largeAnswers|features)|client\/tour|tasks\/(taskFaults|tasks|cursorCosts)|channels\/channelLists|contract\/(done|fuzz)|ledger\/ledger|import\/(crash|largest|faults|import|command)|users\/(validation|searchAfterChanges|states|longRuns)|groups\/deleteGroup|reference\/examples)\./

/**
 * Runs long files first, so that no worker is left with one at the end. vitest orders by the times of the last run; a fresh
 * clone has none.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
