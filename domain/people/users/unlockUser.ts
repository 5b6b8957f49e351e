import { lifeCycle } from './userLifeCycle.ts'

/** Lets a locked user work again. */
export const unlockUser = lifeCycle('unlock')
