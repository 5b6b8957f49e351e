import type { ErrorCode } from '../../schemas/errors.ts'
import { AppError } from '../base/errors.ts'

/** The kinds of faults that RFC 7644 (table 9) and RFC 9865 name. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'invalidCursor'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness'

/** A refusal in SCIM's own terms. All others get their SCIM form from the code: see `scimErrorOf`. */
export class ScimError extends AppError {
  override name = 'ScimError'
  readonly scimType: ScimType
  constructor(scimType: ScimType, detail: string, code: ErrorCode = 'VALIDATION_ERROR') {
    super(code, { detail })
    this.scimType = scimType
  }
}

export const invalidValue = (path: string, message: string): ScimError =>
  new ScimError('invalidValue', `${path} ${message}`)
