import type { Context } from '../../request/context.ts'
import { keyOf, succeeded } from '../../table/actions.ts'
import { isAt } from '../../table/items.ts'
import type { Action } from '../../table/store.ts'
import { recordProgress } from '../../table/work.ts'
import type { RulesRound } from '../../table/workKinds.ts'
import { inSteps, isShortOfTime, timeBeforeAnswer, type Work } from '../../work/steps.ts'
import { doWorkOfCalls } from '../../work/workOfCalls.ts'
import { allLists } from '../records/userLists.ts'
import { dropGoneExceptions } from './exceptedUsers.ts'
import { readRules } from './rule.ts'
import { ruleSetOf } from './ruleSet.ts'
import { beginRound, endRound, type RulesEntry, writeRound } from './rulesRound.ts'
import { partsOfPending, readRulesWork, rulesWorkKey } from './rulesWork.ts'
import { type CurrentRules, needsOf, type RulesWork, walkPage } from './walkPage.ts'

// Applies changes of rules to all users, in rounds (rulesRound.ts): one walk over all users, page by page (walkPage.ts), gives and takes
// the roles of all changed rules.
// docs/decisions/rules.md proves that no user is missed.

/** Full pages between two writes of a walk's progress: if its process dies, only these are repeated. */
const PAGES_PER_STEP = 10

/** After this number of roles given and taken, or after this time, a call answers and leaves the rest to a worker. */
export const beforeAnswer = { roles: 1_000, ms: 10_000 }

/**
 * Applies the changes of rules that the `written` actions of a call have noted, unless another process does so already. A small
 * change is complete before the answer; a worker does the rest of a large one. Never throws, as the rule itself is written.
 */
export async function applyRulesNow(
  { store, now, clock, timeLeft, requestId }: Context,
  written: readonly Action[],
): Promise<void> {
  if (!written.some((action) => isAt(rulesWorkKey)(keyOf(action)))) return
  const entry = await readRulesWork(store).catch(() => undefined)
  if (!entry || entry.holder !== requestId || entry.from !== undefined) return
  const time = timeBeforeAnswer({ clock, timeLeft }, beforeAnswer.ms)
  let roles = 0
  const work: RulesWork = {
    store,
    now,
    clock,
    timeLeft: () => (roles >= beforeAnswer.roles ? 0 : time()),
    changed: (more) => {
      roles += more
    },
  }
  await doWorkOfCalls(work, [entry], applyRules)
}

/**
 * Applies all changes of rules that are noted, as far as there is time, and then ends the entry. May be repeated. If two
 * processes do so at the same time, one of them stops when the other is ahead.
 */
export async function applyRules(work: RulesWork, noted: RulesEntry): Promise<void> {
  await inSteps(work, noted, async () => {
    const entry = await readRulesWork(work.store)
    const now = work.clock().toISOString()
    if (entry?.from !== undefined && entry.from > now) {
      // A later call has noted the first rule, which has to wait. The schedule continues at that moment.
      await succeeded(work.store.write([recordProgress(work, entry, { due: entry.from })], 'housekeeping'))
      return undefined
    }
    return entry && (await doRound(work, entry)) ? entry : undefined
  })
}

/** Begins a round, or continues the current one. False if there is nothing more to do now. */
async function doRound(work: RulesWork, entry: RulesEntry): Promise<boolean> {
  const stored = await readRules(work.store)
  let isOutdated = false
  const rules = await ruleSetOf(work.store, stored, () => {
    isOutdated = true
  })
  // A round of the release before has no digest: it begins anew.
  if (entry.round?.print !== undefined)
    return walk(work, entry, entry.round, { rules, stored, isOutdated: () => isOutdated })
  const changed = new Set([...entry.pending].map((one) => partsOfPending(one).id))
  const now = work.clock().toISOString()
  await dropGoneExceptions(
    { ...work, now },
    stored.rules.filter(({ id }) => changed.has(id)),
  )
  await beginRound(work, entry, rules)
  return true
}

/**
 * Continues a walk as far as there is time; false if there is more to do later. It writes its progress only every few pages, so
 * pages may be repeated.
 */
async function walk(work: RulesWork, entry: RulesEntry, from: RulesRound, present: CurrentRules): Promise<boolean> {
  if (from.began > work.clock().toISOString()) {
    await succeeded(work.store.write([recordProgress(work, entry, { due: from.began })], 'housekeeping'))
    return false
  }
  const needs = await needsOf(work, entry, from, present)
  const mayGoOn = (): boolean => !(isShortOfTime(work) || present.isOutdated())
  let [at, stored] = [from, entry]
  let pages = 0
  while (at.part < allLists.length && mayGoOn()) {
    if (pages >= PAGES_PER_STEP) {
      if (!(await saveWalk(work, stored, at))) return true
      stored = { ...stored, round: at }
      pages = 0
    }
    at = await walkPage(work, needs, at)
    // The last page of a list does not count: in small organisations, all pages are last ones and take no time.
    pages += Number(at.after !== null)
  }
  if (at.part === allLists.length) return endRound(work, stored, at, needs.deleted)
  // If rules have changed, it goes on by the present ones.
  return !(await saveWalk(work, stored, at)) || present.isOutdated()
}

/** Writes the progress of a walk, unless it is written already. False if another process has written it. */
const saveWalk = async (work: Work, stored: RulesEntry, at: RulesRound): Promise<boolean> =>
  at === stored.round || writeRound(work, stored, at)
