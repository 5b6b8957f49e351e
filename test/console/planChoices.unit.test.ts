import { describe, expect, it } from 'vitest'
import { choicesOf } from '../../console/plans/choicesText.ts'
import { askedOf, columnsFor, nothingAsked, planOf } from '../../console/plans/fileRequest.ts'
import type { PlanKind } from '../../console/plans/planQuery.ts'
import { en } from '../../console/texts/en.ts'

const words = {
  texts: en,
  nameOf: ({ id }: { id: string }) => `title of ${id}`,
  attributes: [{ name: 'department', title: 'Department' }],
}
const choices = (kind: PlanKind, request: object) => choicesOf({ kind, request: request as never }, words)

describe('what was chosen for a plan', () => {
  it.each<[what: string, select: object, text: string]>([
    ['everybody', { all: true }, 'Everybody'],
    ['some people', { user_ids: { count: 3, sha256: '' } }, '3 people selected one by one'],
    [
      'filters',
      {
        search_term: 'ida',
        status: ['ACTIVE', 'LOCKED'],
        role: 'USER',
        attribute_technical_name: 'department',
        attribute_value: 'Sales',
      },
      'Search: ida · Status: Active, Locked · Role in Rollcall: User · Department: Sales',
    ],
    [
      'what narrows it',
      { tag: 'mentor', user_group_id: 'g', role_id: 'r' },
      'Tag: mentor · Group: title of g · Role in a group: title of r',
    ],
  ])('of people: %s', (_, select, text) =>
    expect(choices('SELECTION', { select, change: { action: 'LOCK' } })).toEqual([
      ['Who', text],
      ['What', 'Lock'],
    ]),
  )

  it.each<[change: object, text: string]>([
    [{ assign: { user_group_id: 'g', role_id: 'r' } }, 'Give the role title of r in title of g'],
    [{ update: { tags: { add: ['a'], remove: ['b'] } } }, 'Add the tag a · Remove the tag b'],
    [{ update: { tags: ['a', 'b'], role: 'ADMIN' } }, 'Tags: a, b · Role in Rollcall: Administrator'],
    [{ update: { attributes: { department: null } } }, 'Department: none'],
    [{ update: { attributes: [{ name: 'department', value: 'Sales' }] } }, 'Department: Sales'],
  ])('the change %j', (change, text) =>
    expect(choices('SELECTION', { select: { all: true }, change, limits: { changes: 1200 } }).slice(1)).toEqual([
      ['What', text],
      ['Changes, at most', '1,200'],
    ]),
  )

  it('for a file', () => {
    expect(choices('FILE', {})).toEqual([
      ['Who a row is about', 'By external ID (staff number)'],
      ['People who are not in the file', 'Stay as they are'],
    ])
    const all = choices('FILE', {
      ...{
        match_by: 'USERNAME',
        absent: 'DELETE',
        empty: 'CLEAR',
        pending: 'RESTORE',
        unlock: true,
        on_fault: 'REFUSE',
      },
      absent_among: { attribute_technical_name: 'department', attribute_value: 'Sales' },
      columns: { Nr: 'external_id', Team: 'attribute:department', Shoes: null },
      limits: { changed_percent: 30 },
    })
    expect(all).toEqual([
      ['Who a row is about', 'By username'],
      ['People who are not in the file', 'Are deleted (14 days to take it back)'],
      ['Among whom', 'Department: Sales'],
      [en.files.clears, 'Yes'],
      [en.files.restores, 'Yes'],
      [en.files.unlocks, 'Yes'],
      ['Refused if there is any fault', 'Yes'],
      ['Columns', 'Nr: External ID · Team: Department · Shoes: left out'],
      ['People changed, at most (%)', '30 %'],
    ])
  })

  it('none for a plan that takes another one back', () => expect(choices('UNDO', { plan_id: 'p' })).toEqual([]))
})

describe('a file that was refused is tried again', () => {
  const asked = {
    ...nothingAsked,
    ...{ title: 'Night', matchBy: 'USERNAME' as const, clearsEmpty: true, restores: true, unlocks: true },
    ...{ absent: 'DELETE' as const, attribute: 'department', value: 'Sales' },
    limits: { ...nothingAsked.limits, changed_percent: '30' },
    columns: { Nr: 'external_id', Shoes: null },
  }
  it('with the same choices', () => {
    const { title, ...request } = planOf(asked, 'hr.csv')
    expect(askedOf(request, title)).toEqual(asked)
  })
  it('and none where nothing was chosen; the name of the file is no title', () =>
    expect(askedOf({}, 'hr.CSV')).toEqual(nothingAsked))
  it('changes nobody who is missing where the form cannot say among whom', () => {
    const absent_among = { attribute_technical_name: 'department', attribute_value: 'Sales', status: 'ACTIVE' }
    expect(askedOf({ absent: 'DELETE', absent_among }, null)).toEqual(nothingAsked)
    expect(askedOf({ absent: 'DELETE', absent_among: { role: 'USER' } }, null)).toEqual(nothingAsked)
    expect(askedOf({ absent: 'DELETE', absent_among: { all: true } }, null).absent).toBe('DELETE')
  })
  it('with what was said of the columns that the file still has', () =>
    expect(columnsFor(['Vorname', 'Nr'], [], asked.columns)).toEqual({ Vorname: 'first_name', Nr: 'external_id' }))
})
