import { changeStatus } from '../records/channel.ts'

/** Makes an archived channel active again. */
export const restoreChannel = changeStatus('ACTIVE')
