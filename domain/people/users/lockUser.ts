import { lifeCycle } from './userLifeCycle.ts'

/** Keeps a user from working until they are unlocked. */
export const lockUser = lifeCycle('lock')
