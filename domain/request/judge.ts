import { type CodedFault, errorOf } from '../base/errors.ts'
import { normalized } from './bodies.ts'
import type { Judge } from './context.ts'
import { type Compiled, inputFaults } from './faults.ts'

// Bodies by the contract of an endpoint that come by another way than its calls: SCIM, files.

/** Returns a function that validates bodies by the contract of an endpoint: the normalized body, and its faults one by one. */
export const bodyJudge =
  ({ contract, default: validator }: Compiled, path: object = {}) =>
  (sent: unknown): { body: unknown; faults: CodedFault[] } => {
    const body = normalized(sent, contract)
    return { body, faults: inputFaults({ path, query: {}, body }, contract, validator, false) }
  }

/** The same with all faults as one error. */
export const judgeBy = (compiled: Compiled, path: object = {}): Judge => {
  const judge = bodyJudge(compiled, path)
  return (sent) => {
    const { body, faults } = judge(sent)
    return { body, fault: errorOf(faults) }
  }
}
