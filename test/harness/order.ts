import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The browser takes longest, and faults of types and format should show soon. Both files are small, so they would come at the end
 * where no last run has told their time.
 */
const first = ['/browser/console.test.ts', '/local/check.test.ts']

/** Which files begin: these, then as Vitest has it. */
export default class Order extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = first.findIndex((name) => moduleId.endsWith(name))
      return found < 0 ? first.length : found
    }
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}
