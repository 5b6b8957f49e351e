import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Begins with the browser: its file is small, takes longest, and would run alone at the end where no last run has told its time. */
export default class BrowserFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isFirst = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith('/browser/console.test.ts')
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))]
  }
}
