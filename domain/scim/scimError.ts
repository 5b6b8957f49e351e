import type { ErrorCode } from '../../schemas/errors.ts'
import { AppError } from '../base/errors.ts'

/** The kinds of faults that RFC 7644 (table 9) and RFC 9865 name. */
type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'invalidCursor'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness'

/** A refusal with a type of SCIM. Other errors get their type from their code: see `scimErrorOf`. */
export class ScimError extends AppError {
  override name = 'ScimError'
  readonly scimType: ScimType
  constructor(scimType: ScimType, detail: string, code: ErrorCode = 'VALIDATION_ERROR') {
    super(code, { detail })
    this.scimType = scimType
  }
}

/** A refusal of a method. The answer names the methods that the path allows: HEAD wherever there is GET. */
export class MethodNotAllowed extends AppError {
  override name = 'MethodNotAllowed'
  readonly allowed: readonly string[]
  constructor(allowed: readonly string[]) {
    super('METHOD_NOT_ALLOWED')
    this.allowed = allowed.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
  }
}

/** The refusal of a value. `message` follows the path: `must be …`. */
export const invalidValue = (path: string, message: string): ScimError =>
  new ScimError('invalidValue', `${path} ${message}`)

const uniqueness: ReadonlySet<ErrorCode> = new Set([
  'USER_ID_ALREADY_EXISTS',
  'USERNAME_ALREADY_EXISTS',
  'EXTERNAL_ID_ALREADY_EXISTS',
  'DUPLICATE_EXTERNAL_ID',
  'DUPLICATE_ID',
])

type Problem = { status: number; detail: string; code: ErrorCode }

/** The body of an error answer (RFC 7644, section 3.12). */
export function scimErrorOf(error: unknown, { status, detail, code }: Problem) {
  const scimType = error instanceof ScimError ? error.scimType : typeOf(status, code)
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType ? { scimType } : {}),
    detail,
  }
}

function typeOf(status: number, code: ErrorCode): ScimType | undefined {
  if (uniqueness.has(code)) return 'uniqueness'
  return status === 400 ? 'invalidValue' : undefined
}
