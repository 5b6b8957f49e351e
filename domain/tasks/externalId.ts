import { absent, either, is } from '../table/expressions.ts'
import type { Action } from '../table/store.ts'
import { taskExternalIdKey } from '../table/taskKeys.ts'
import type { Task } from './task.ts'

type Named = Pick<Task, 'id' | 'author_id' | 'external_id'>

/** Reserves the external id of a task among those of its author. */
export const reservation = ({ id, author_id, external_id }: Named): Action[] =>
  external_id === null
    ? []
    : [
        {
          put: { ...taskExternalIdKey(author_id, external_id), owner: id },
          if: either(absent, is({ owner: id })),
          otherwise: { code: 'DUPLICATE_EXTERNAL_ID', property: 'external_id' },
        },
      ]

/** Gives it up again. */
export const release = ({ id, author_id, external_id }: Named): Action[] =>
  external_id === null
    ? []
    : [
        {
          delete: taskExternalIdKey(author_id, external_id),
          if: either(absent, is({ owner: id })),
        },
      ]
