import { lifeCycle } from './userLifeCycle.ts'

/** Brings a user pending deletion back to the status before. */
export const restoreUser = lifeCycle('restore')
