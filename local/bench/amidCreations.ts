import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Bench } from './figures.ts'
import { newPerson } from './sampleRecords.ts'
import { median, timed } from './timing.ts'
import { caller } from './world.ts'

const QUIET = 60
const PAUSE_MS = 100
const MOST_TIMES_QUIET = 3

/** Does work that goes on for a while, and notes how much longer it makes the creation of a user than in a quiet service. */
export async function amidCreations<T>({ atMost, info }: Bench, work: () => Promise<T>): Promise<T> {
  const [quiet, during]: [number[], number[]] = [[], []]
  const creation = async () => timed(await caller('createUser', { body: newPerson(randomUUID()) }))
  for (let n = 0; n < QUIET * 2; n++) quiet.push(await creation())
  let isOver = false
  const create = async () => {
    while (!isOver) {
      during.push(await creation())
      await setTimeout(PAUSE_MS)
    }
  }
  const over = () => {
    isOver = true
  }
  const [result] = await Promise.all([work().finally(over), create()])
  const [alone, meanwhile] = [median(quiet.slice(QUIET)), median(during)]
  atMost('creations meanwhile ÷ in a quiet service', meanwhile / alone, MOST_TIMES_QUIET)
  info(`${during.length} creations meanwhile, ${QUIET} in a quiet service`, [meanwhile, alone], ' ms')
  return result
}
