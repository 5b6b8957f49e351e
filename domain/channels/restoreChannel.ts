import { changeStatus } from './channel.ts'

/** Makes an archived channel active again. */
export const restoreChannel = changeStatus('ACTIVE')
