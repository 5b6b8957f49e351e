import type { DynamoDBRecord, DynamoDBStreamEvent, Context as LambdaContext } from 'aws-lambda'
import { traceOf } from '../../domain/base/errors.ts'
import { finishHandedOver } from '../../domain/maintenance/finishWork.ts'
import type { Key } from '../../domain/table/store.ts'
import type { Outcome } from '../../domain/work/workThrough.ts'
import { requireLayout } from '../middleware/environment.ts'
import { newWorker } from '../middleware/newWorker.ts'

/**
 * Called by the table's stream for entries of work that calls hand over: does them now. It never fails, or Lambda
 * would send all of a batch again: what is left is in the table, where the schedule finds it. One log line has the
 * outcome.
 */
export const handler = async (event: DynamoDBStreamEvent, lambda: LambdaContext): Promise<void> => {
  const { context, requests } = newWorker('finishWork', lambda)
  const {
    stopped,
    finished = 0,
    ...counts
  } = await requireLayout(context.store)
    .then(() => finishHandedOver(context, event.Records.flatMap(keyIn)))
    .catch(unforeseen)
  const measures = { WorkFinished: finished, WorkFailed: counts.failed, ...requests() }
  context.log({ level: counts.failed > 0 || stopped ? 'error' : 'info', ...counts, ...stopped }, measures)
}

const unforeseen = (error: unknown): Outcome => ({ failed: 1, left: true, stopped: traceOf(error) })

function keyIn({ dynamodb }: DynamoDBRecord): Key[] {
  const { pk, sk } = dynamodb?.Keys ?? {}
  return pk?.S && sk?.S ? [{ pk: pk.S, sk: sk.S }] : []
}
