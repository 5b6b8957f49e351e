import { changeQuery, go, linkTo } from '../address.ts'
import { readAttributes } from '../data/attributes.ts'
import { findGroups } from '../data/choices.ts'
import { useRead } from '../data/useRead.ts'
import { Combobox } from '../parts/Combobox.tsx'
import { Check, SelectField } from '../parts/Field.tsx'
import { Menu } from '../parts/Menu.tsx'
import { useTexts } from '../texts/texts.ts'
import { AttributeValue } from './AttributeValue.tsx'
import { type PeopleFilters, roles, statuses } from './peopleQuery.ts'

/**
 * Status, role and the value of an attribute, which the address holds. The service has no filter by group or tag, so there are ways to
 * where these are.
 */
export function PeopleFilterMenu({ filters }: { filters: PeopleFilters }) {
  const texts = useTexts()
  const { data: definitions = [] } = useRead('attributes', readAttributes)
  const count = filters.status.length + (filters.role ? 1 : 0) + (filters.attribute && filters.value ? 1 : 0)
  const toggle = (status: (typeof statuses)[number], isChecked: boolean) => {
    const next = isChecked ? [...filters.status, status] : filters.status.filter((one) => one !== status)
    changeQuery({ status: next, page: null })
  }
  return (
    <Menu label={count > 0 ? `${texts.common.filters} (${count})` : texts.common.filters}>
      <fieldset>
        <legend>{texts.people.status}</legend>
        {statuses.map((status) => (
          <Check
            key={status}
            label={texts.status[status]}
            isChecked={filters.status.includes(status)}
            onChecked={(isChecked) => toggle(status, isChecked)}
          />
        ))}
      </fieldset>
      <SelectField
        name="role"
        label={texts.people.role}
        value={filters.role}
        onValue={(role) => changeQuery({ role: role || null, page: null })}
        options={[
          { value: '', text: texts.people.any },
          ...roles.map((role) => ({ value: role, text: texts.role[role] })),
        ]}
      />
      <SelectField
        name="attribute"
        label={texts.people.attribute}
        value={filters.attribute}
        onValue={(attribute) => changeQuery({ attribute: attribute || null, value: null, page: null })}
        options={[
          { value: '', text: texts.people.any },
          ...definitions.map(({ name, title }) => ({ value: name, text: title })),
        ]}
      />
      {filters.attribute && (
        <AttributeValue
          name="value"
          label={texts.people.attributeValue}
          hint={texts.people.attributeValueHint}
          attribute={filters.attribute}
          value={filters.value}
          onValue={(value) => changeQuery({ value: value || null, page: null })}
        />
      )}
      <Combobox
        name="group"
        label={texts.people.membersOf}
        hint={texts.people.membersOfHint}
        value={null}
        onValue={(group) => group && go(linkTo('group', { id: group.value }))}
        search={findGroups}
      />
      <p class="hint">{texts.people.byTag}</p>
    </Menu>
  )
}
