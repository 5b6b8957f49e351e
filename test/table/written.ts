import { type Condition, expressionsOf, type Update } from '../../domain/table/expressions.ts'
import type { Action } from '../../domain/table/store.ts'

/** A condition and a change with their placeholders filled in again, as a reader would write them. */
export function written(condition: Condition | undefined, change?: Update): [condition: string, change: string] {
  const { ConditionExpression, UpdateExpression, ...made } = expressionsOf(condition, change)
  const filled = (text = '') =>
    text
      .replaceAll(/#n\d+/g, (one) => made.ExpressionAttributeNames?.[one] ?? one)
      .replaceAll(/:v\d+/g, (one) => JSON.stringify(made.ExpressionAttributeValues?.[one]))
  return [filled(ConditionExpression), filled(UpdateExpression)]
}

/** What an action does, as a reader would write it: its verb, key, change and condition; what is put, as it is. */
export function actionText(action: Action): unknown[] {
  const { otherwise } = action
  const [condition, change] = written(action.if, 'update' in action ? action : undefined)
  const rest = [...(condition ? [`if ${condition}`] : []), ...(otherwise ? [otherwise] : [])]
  const at = ({ pk, sk }: { pk: string; sk: string }) => `${pk} ${sk}`
  if ('put' in action) return ['put', action.put, ...rest]
  if ('update' in action) return [`update ${at(action.update)}`, change, ...rest]
  return ['delete' in action ? `delete ${at(action.delete)}` : `check ${at(action.check)}`, ...rest]
}
