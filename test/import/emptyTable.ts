import { type Service, startService } from '../harness/service.ts'
import type { Indexes } from '../harness/table.ts'

/** A service on a separate, empty table: imports begin without any user. */
export const emptyTable = (indexes: Indexes = 'none'): Promise<Service> =>
  startService({ fill: async () => {}, indexes })
