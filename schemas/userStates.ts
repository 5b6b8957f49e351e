/** The states and roles that a user may have. */
export const statuses = ['ACTIVE', 'LOCKED', 'DEACTIVATED', 'PENDING_DELETION'] as const
export const userRoles = ['USER', 'ADMIN'] as const
