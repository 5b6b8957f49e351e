import { lifeCycle } from './userLifeCycle.ts'

/** Marks a user for deletion in 14 days. Asked again, the first deadline stays. */
export const deleteUser = lifeCycle('delete')
