import { momentAfter } from '../base/text.ts'
import type { Action, Cause } from '../table/store.ts'
import { workEntry } from '../table/work.ts'

// Each plan has one entry of noted work, from its creation until it is removed: its wake-up. What is to be done stands in the plan.

/** A worker begins with a plan within a second. What it changes names the call that writes this, or `cause`. */
export const wakePlan = (plan: string, now: string, cause?: Cause): Action => ({
  put: { ...workEntry('plan', plan, {}, now, { taker: 'STREAM' }), ...(cause ? { cause } : {}) },
})

export const secondsLater = (now: string, seconds: number): string => momentAfter(now, seconds * 1000)
