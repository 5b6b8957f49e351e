/**
 * Every error code of the service, with its status and title.
 * The type of AppError, the problem+json answers and OpenAPI come from this table.
 * Where one request has several faults, the code that comes first in the table is answered.
 */
export const errors = {
  DISTRIBUTION_KIND_UNDEFINED: [400, 'The distribution kind is missing or unusable'],
  MAX_LENGTH_EXCEEDED: [400, 'A value is too long'],
  INVALID_DATE_ATTRIBUTE_FORMAT: [400, 'A date attribute is no date'],
  NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND: [400, 'No attribute definition has this name'],
  USER_CREATION_WITH_PENDING_DELETION_NOT_ALLOWED: [400, 'A user cannot be created as pending deletion'],
  ROLE_DOES_NOT_EXIST: [400, 'The role does not exist'],
  ROLE_HAS_WRONG_PERMISSION_SCOPE: [400, 'The role is made for another scope'],
  UNKNOWN_USER_ID: [400, 'No such user can be used here'],
  UNKNOWN_CHANNEL_ID: [400, 'No such channel can be used here'],
  UNKNOWN_USER_GROUP_ID: [400, 'No such user group can be used here'],
  UNKNOWN_TASK_ASSIGNMENT_ID: [400, 'No such assignment belongs to the task'],
  LANGUAGE_NOT_ENABLED: [400, 'The organisation does not use this language'],
  NO_RECIPIENTS: [400, 'A task needs a recipient'],
  DIFFERENT_RECIPIENT_TYPES: [400, 'Recipients are of different types'],
  RECIPIENTS_CHANNEL_LIMIT_EXCEEDED: [400, 'Only one channel can be a recipient'],
  INVALID_DUE_DATE: [400, 'The due date is unusable'],
  INVALID_USER_GROUP: [400, 'The user group cannot be used here'],
  VALIDATION_ERROR: [400, 'The request is not valid'],
  UNAUTHENTICATED: [401, 'A valid bearer token is needed'],
  ACTOR_NOT_ACTIVE: [401, 'The caller is not an active user'],
  PERMISSION_MISSING: [403, 'The caller lacks the permission'],
  FEATURE_DISABLED: [403, 'The feature is switched off'],
  FEATURE_NOT_ENABLED: [403, 'The feature is not enabled'],
  NOT_ADMIN_OF_CHANNEL: [403, 'The caller does not own the channel'],
  ACTOR_MUST_NOT_CHANGE_ITSELF: [403, 'Callers cannot do this to themselves'],
  USER_MODIFICATION_NOT_ALLOWED: [403, 'The user cannot be changed like this'],
  DERIVED_ASSIGNMENT_DELETION_FORBIDDEN: [403, 'A derived assignment cannot be deleted'],
  ROLE_NOT_ASSIGNABLE: [403, 'The caller cannot hand out this role'],
  ROLE_ASSIGNMENT_NOT_DELETABLE: [403, 'The role is held through a user group'],
  ROLE_NOT_DELETABLE: [403, 'The role cannot be taken away or deleted'],
  ROLE_NOT_MODIFIABLE: [403, 'The role cannot be changed'],
  USER_GROUP_IS_PREDEFINED: [403, 'A predefined user group stays as it is'],
  USER_NOT_FOUND: [404, 'No such user'],
  USER_GROUP_NOT_FOUND: [404, 'No such user group'],
  USER_GROUP_ASSIGNMENT_NOT_FOUND: [404, 'No such assignment in the user group'],
  CHANNEL_NOT_FOUND: [404, 'No such channel'],
  CHANNEL_USER_ASSIGNMENT_NOT_FOUND: [404, 'No such assignment on the channel'],
  ROLE_NOT_FOUND: [404, 'No such role'],
  TASK_NOT_FOUND: [404, 'No such task'],
  TASK_ASSIGNMENT_NOT_FOUND: [404, 'No such task assignment'],
  ATTRIBUTE_DEFINITION_NOT_FOUND: [404, 'No such attribute definition'],
  CHANNEL_USER_GROUP_NOT_FOUND: [404, 'The user group is not attached to the channel'],
  SERVICE_TOKEN_NOT_FOUND: [404, 'No such service token'],
  RULE_NOT_FOUND: [404, 'No such rule'],
  NOT_FOUND: [404, 'There is nothing at this path'],
  USER_ID_ALREADY_EXISTS: [409, 'The user id is taken'],
  USERNAME_ALREADY_EXISTS: [409, 'The username is taken'],
  EXTERNAL_ID_ALREADY_EXISTS: [409, 'The external id is taken'],
  USER_GROUP_ASSIGNMENT_ALREADY_EXISTS: [409, 'The user already has this role in the group'],
  USER_GROUP_ARCHIVED: [409, 'The user group is archived'],
  USER_NOT_RESTORABLE: [409, 'The user cannot be restored'],
  USER_NOT_ASSIGNABLE: [409, 'The user cannot be given a role'],
  TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION: [409, 'A task keeps at least one assignment'],
  TASK_ASSIGNMENT_CHANGE_CONFLICT: [409, 'The assignment is being changed by others'],
  CONCURRENT_MODIFICATION: [409, 'The record is being changed by others'],
  CHANNEL_ARCHIVED: [409, 'The channel is archived'],
  CHANNEL_NOT_ARCHIVED: [409, 'The channel is not archived'],
  USER_GROUP_NOT_ARCHIVED: [409, 'The user group is not archived'],
  PARENT_ID_UPDATE_WOULD_PRODUCE_A_CYCLE: [409, 'A group cannot lie below itself'],
  ROLE_IN_USE: [409, 'The role is in use'],
  ATTRIBUTE_DEFINITION_IN_USE: [409, 'The attribute definition is in use'],
  DUPLICATE_ID: [409, 'The id is taken'],
  DUPLICATE_EXTERNAL_ID: [409, 'The external id is taken'],
  DUPLICATE_TECHNICAL_NAME: [409, 'The technical name is taken'],
  ATTRIBUTE_DEFINITIONS_LIMIT_EXCEEDED: [409, 'There are as many attribute definitions as allowed'],
  SERVICE_TOKEN_EXPIRED: [409, 'The service token has expired'],
  SERVICE_TOKENS_LIMIT_EXCEEDED: [409, 'There are as many service tokens as allowed'],
  RULES_LIMIT_EXCEEDED: [409, 'There are as many rules as allowed, or they are too large'],
  ASSIGNMENT_ALREADY_EXISTS: [409, 'The assignment exists already'],
  IDEMPOTENCY_KEY_IN_USE: [409, 'The first call with this key is still at work'],
  METHOD_NOT_ALLOWED: [405, 'The path does not know this method'],
  PRECONDITION_FAILED: [412, 'The record has changed since the caller read it'],
  PAYLOAD_TOO_LARGE: [413, 'The request or its answer is too large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The body must be JSON'],
  IDEMPOTENCY_KEY_REUSED: [422, 'The key belongs to another request'],
  TOO_MANY_REQUESTS: [429, 'The store was busy: nothing was done, send it again'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side'],
  SERVICE_UNAVAILABLE: [503, 'The service is busy: try again soon'],
} as const satisfies Record<string, readonly [status: number, title: string]>

export type ErrorCode = keyof typeof errors

const order = Object.keys(errors) as ErrorCode[]

/**
 * The code that is answered for several faults: the first in the table, VALIDATION_ERROR only if there is no other
 * 400.
 */
export function strongest(codes: readonly ErrorCode[]): ErrorCode {
  return order.find((code) => codes.includes(code)) ?? 'VALIDATION_ERROR'
}
