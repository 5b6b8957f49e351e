import { type CodedFault, errorOf } from '../base/errors.ts'
import { normalized } from './bodies.ts'
import type { ValidateBody } from './context.ts'
import { type Compiled, inputFaults } from './faults.ts'

// Bodies by the contract of an endpoint that come by another way than its calls: SCIM, files.

/** Returns a function that validates bodies by the contract of an endpoint: the normalized body, and its faults one by one. */
export const bodyValidator =
  ({ contract, default: validator }: Compiled, path: object = {}) =>
  (sent: unknown): { body: unknown; faults: CodedFault[] } => {
    const body = normalized(sent, contract)
    return { body, faults: inputFaults({ path, query: {}, body }, contract, validator, false) }
  }

/** The same with all faults as one error. */
export const validateBodyBy = (compiled: Compiled, path: object = {}): ValidateBody => {
  const validate = bodyValidator(compiled, path)
  return (sent) => {
    const { body, faults } = validate(sent)
    return { body, fault: errorOf(faults) }
  }
}
