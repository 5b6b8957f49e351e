import { bucketFiles } from './bucketFiles.ts'
import { folderFiles } from './folderFiles.ts'
import type { PlanFiles } from './storedFiles.ts'

/** Where the files of a plan are kept: in the bucket PLAN_BUCKET, or in the folder PLAN_FOLDER of this machine. */
export function planFiles(plan: string, env: NodeJS.ProcessEnv = process.env): PlanFiles {
  if (env.PLAN_FOLDER) return folderFiles(env.PLAN_FOLDER, plan)
  if (env.PLAN_BUCKET) return bucketFiles(env.PLAN_BUCKET, plan, env)
  throw new Error('PLAN_BUCKET must be set')
}
