/** How a condition compares; the last two have no values. */
export const operators = ['EQUALS', 'NOT_EQUALS', 'STARTS_WITH', 'CONTAINS', 'IS_SET', 'IS_NOT_SET'] as const
/** How conditions go together: a user must fit all of them, or any one. */
export const matches = ['ALL', 'ANY'] as const
