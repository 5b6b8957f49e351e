/** What a user's status, role and required actions can be: apart from the shapes, so that rules need not carry them. */
export const statuses = ['ACTIVE', 'LOCKED', 'DEACTIVATED', 'PENDING_DELETION'] as const
export const roles = ['USER', 'ADMIN'] as const
export const requiredActions = ['ACCEPT_TERMS_AND_CONDITIONS', 'UPDATE_PASSWORD', 'VERIFY_EMAIL'] as const
