/** The states and roles that a user may have. */
export const statuses = ['ACTIVE', 'LOCKED', 'DEACTIVATED', 'PENDING_DELETION'] as const
export type UserStatus = (typeof statuses)[number]
export const userRoles = ['USER', 'ADMIN'] as const
