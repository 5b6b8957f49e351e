import { readAttributes } from '../data/attributes.ts'
import { useRead } from '../data/useRead.ts'
import { findValues, typedValue } from '../data/values.ts'
import { ComboboxList } from '../parts/ComboboxList.tsx'
import { SelectField } from '../parts/Field.tsx'
import { useMe } from '../shell/me.ts'
import { languageName } from '../texts/languageName.ts'
import { useTexts } from '../texts/texts.ts'
import {
  type Condition,
  emptyCondition,
  fields,
  isPartOf,
  linesOf,
  mostConditions,
  mostValues,
  needsValues,
  type Operator,
  operatorsOf,
} from './conditions.ts'
import { GroupValues } from './GroupValues.tsx'

type Properties = { conditions: readonly Condition[]; onConditions: (conditions: readonly Condition[]) => void }

/** What people must have to match: one line a condition. */
export function ConditionFields({ conditions, onConditions }: Properties) {
  const texts = useTexts()
  const { data: attributes = [] } = useRead('attributes', readAttributes)
  const options = [
    ...attributes.map(({ name, title }) => ({ value: `ATTRIBUTE:${name}`, text: title })),
    ...fields.map((field) => ({ value: field as string, text: texts.rules.fields[field] })),
  ]
  const first = options[0]?.value ?? fields[0]
  const change = (at: number, condition: Condition) =>
    onConditions(conditions.map((one, n) => (n === at ? condition : one)))
  return (
    <>
      {conditions.map((condition, n) => (
        <fieldset key={n} class="condition">
          <legend>{texts.rules.condition(n + 1)}</legend>
          <SelectField
            name={`field-${n}`}
            label={texts.rules.field}
            value={condition.field}
            onValue={(field) => change(n, emptyCondition(field))}
            options={options}
          />
          <SelectField<Operator>
            name={`operator-${n}`}
            label={texts.rules.operator}
            value={condition.operator}
            onValue={(operator) => change(n, { ...condition, operator })}
            options={operatorsOf(condition.field).map((operator) => ({
              value: operator,
              text: texts.rules.operators[operator],
            }))}
          />
          {needsValues(condition.operator) && (
            <Values condition={condition} n={n} onCondition={(next) => change(n, next)} />
          )}
          {conditions.length > 1 && (
            <button type="button" class="quiet" onClick={() => onConditions(conditions.filter((_, at) => at !== n))}>
              {texts.common.remove(texts.rules.condition(n + 1))}
            </button>
          )}
        </fieldset>
      ))}
      {conditions.length < mostConditions && (
        <button type="button" onClick={() => onConditions([...conditions, emptyCondition(first)])}>
          {texts.rules.addCondition}
        </button>
      )}
    </>
  )
}

type ValuesProperties = { condition: Condition; n: number; onCondition: (condition: Condition) => void }

function Values({ condition, n, onCondition }: ValuesProperties) {
  const texts = useTexts()
  const me = useMe()
  const set = (values: string) => onCondition({ ...condition, values })
  const languages = me.languages.map((tag) => ({ value: tag, text: languageName(tag, texts), note: tag }))
  const wordOf = (value: string) =>
    condition.field === 'PREFERRED_LANGUAGE' ? (languages.find((one) => one.value === value)?.text ?? value) : value
  if (condition.field === 'ROLE')
    return (
      <SelectField
        name={`values-${n}`}
        label={texts.rules.values}
        value={condition.values}
        onValue={set}
        options={[
          { value: '', text: texts.common.choose },
          { value: 'USER', text: texts.role.USER },
          { value: 'ADMIN', text: texts.role.ADMIN },
        ]}
      />
    )
  if (condition.field === 'PRIMARY_USER_GROUP')
    return <GroupValues name={`values-${n}`} values={condition.values} onValues={set} />
  return (
    <ComboboxList
      key={condition.field}
      name={`values-${n}`}
      label={texts.rules.values}
      hint={texts.rules.valuesHint}
      listLabel={`${texts.rules.values}: ${texts.rules.condition(n + 1)}`}
      chosen={linesOf(condition.values).map((value) => ({ value, text: wordOf(value) }))}
      onChosen={(chosen) => set(chosen.map(({ value }) => value).join('\n'))}
      most={mostValues}
      search={async (text, signal) =>
        condition.field === 'PREFERRED_LANGUAGE'
          ? languages.filter((one) => one.text.toLowerCase().includes(text.trim().toLowerCase()))
          : findValues(text, { field: condition.field, isPart: isPartOf(condition.operator), texts }, signal)
      }
      typed={typedValue}
    />
  )
}
