import { lifeCycle } from './userLifeCycle.ts'

/** Takes a deactivated user back into service, also while the feature of deactivation is off. */
export const reactivateUser = lifeCycle('reactivate')
