import { lifeCycle } from './userLifeCycle.ts'

/** Takes a user out of service. */
export const deactivateUser = lifeCycle('deactivate')
