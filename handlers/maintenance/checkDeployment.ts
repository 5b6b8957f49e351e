import type { Context as LambdaContext } from 'aws-lambda'
import { decideAgain } from '../../domain/base/retry.ts'
import { checkTable } from '../../domain/table/check.ts'
import { newRequestStats } from '../../domain/table/requestStats.ts'
import { dynamoStore } from '../../domain/table/transact.ts'
import { environment, newTable, requireLayout } from '../middleware/environment.ts'
import { timeBudget } from '../middleware/timeBudget.ts'

/** Called by `npm run deploy`: throws unless functions know the table's layout, and can read and write the table. */
export const handler = async (_event: unknown, lambda: LambdaContext): Promise<{ checked: true }> => {
  const { signal, clock } = timeBudget(lambda)
  const store = dynamoStore(newTable(signal, newRequestStats()))
  await requireLayout(store)
  await decideAgain(() => checkTable(store, clock().toISOString()))
  environment.log({ level: 'info', endpoint: 'checkDeployment' })
  return { checked: true }
}
