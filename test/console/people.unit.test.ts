import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changesOf } from '../../console/data/merge.ts'
import { filtersOf, listQuery, selectionOf, sortOf, type User } from '../../console/people/peopleQuery.ts'
import { changeOf, type Kind, kinds, type Wanted } from '../../console/people/planChange.ts'
import { creationOf, emptyProfile, type Profile, patchOf, profileOf, tagsOf } from '../../console/people/profile.ts'

const nothing: Wanted = { kind: 'LOCK', group: null, role: '', addTag: '', removeTag: '', attribute: '', value: '' }
const group = { value: 'g', text: 'G' }

describe('what the address says', () => {
  it.each([
    ['', {}, { all: true }],
    ['search=ida&status=LOCKED&status=ACTIVE', { search_term: 'ida', status: ['LOCKED', 'ACTIVE'] }],
    ['search=%20&status=NONE&role=BOSS', {}, { all: true }],
    ['role=ADMIN', { role: ['ADMIN'] }],
    ['attribute=department', {}, { all: true }],
    ['attribute=department&value=IT', { attribute_technical_name: 'department', attribute_value: 'IT' }],
  ])('%s', (text, query, selection: object = query) => {
    const filters = filtersOf(new URLSearchParams(text))
    expect(listQuery(filters)).toEqual(query)
    expect(selectionOf(filters)).toEqual(selection)
  })

  it.each([
    ['sort=EMAIL_DESC', 'EMAIL_DESC'],
    ['sort=SHOE_SIZE_ASC', 'LAST_NAME_ASC'],
    ['', 'LAST_NAME_ASC'],
  ])('sorts: %s', (text, sort) => expect(sortOf(new URLSearchParams(text))).toBe(sort))
})

describe('the change of a plan', () => {
  it.each<[Partial<Wanted>, object | undefined]>([
    [{ kind: 'DELETE' }, { action: 'DELETE' }],
    [{ kind: 'TAGS' }, undefined],
    [{ kind: 'TAGS', addTag: ' a ' }, { update: { tags: { add: ['a'] } } }],
    [{ kind: 'TAGS', addTag: 'a', removeTag: 'b' }, { update: { tags: { add: ['a'], remove: ['b'] } } }],
    [{ kind: 'ATTRIBUTE', value: 'IT' }, undefined],
    [{ kind: 'ATTRIBUTE', attribute: 'department', value: 'IT' }, { update: { attributes: { department: 'IT' } } }],
    [{ kind: 'ATTRIBUTE', attribute: 'department' }, { update: { attributes: { department: null } } }],
    [{ kind: 'GROUP', group }, { update: { primary_user_group_id: 'g' } }],
    [{ kind: 'ASSIGN', group }, undefined],
    [{ kind: 'ASSIGN', group, role: 'r' }, { assign: { user_group_id: 'g', role_id: 'r' } }],
    [{ kind: 'UNASSIGN', group, role: 'r' }, { unassign: { user_group_id: 'g', role_id: 'r' } }],
  ])('%j', (wanted, change) => expect(changeOf({ ...nothing, ...wanted })).toEqual(change))

  it('is known for every kind', () => {
    const whole = { ...nothing, group, role: 'r', addTag: 't', attribute: 'a', value: 'v' }
    for (const kind of kinds) expect(changeOf({ ...whole, kind: kind satisfies Kind }), kind).toBeDefined()
  })
})

describe('a profile as text', () => {
  const text = fc.string({ maxLength: 5 })
  const profile = fc.record({
    ...{ first_name: text, last_name: text, username: text, email: text, external_id: text },
    role: fc.constantFrom('USER' as const, 'ADMIN' as const),
    primary_user_group_id: fc.constantFrom('a', 'b'),
    preferred_language: fc.constantFrom('', 'de-DE'),
    tags: fc.constantFrom('', 'a', 'a, b'),
    'attribute:x': fc.constantFrom('', '1', '2'),
  }) as fc.Arbitrary<Profile>

  it('sends only what has changed, and clears by null', () => {
    fc.assert(
      fc.property(profile, profile, (before, after) => {
        const patch = patchOf(changesOf(before, after)) as Record<string, unknown>
        expect(patchOf({})).toEqual({})
        for (const field of ['email', 'external_id', 'preferred_language'] as const)
          if (before[field] === after[field]) expect(patch).not.toHaveProperty(field)
          else expect(patch[field]).toBe(after[field] || null)
        const [was, is] = [before['attribute:x'], after['attribute:x']]
        expect(patch['attributes']).toEqual(was === is ? undefined : { x: is || null })
        expect(patch['tags']).toEqual(before.tags === after.tags ? undefined : tagsOf(after.tags))
      }),
    )
  })

  it('of nobody yet creates somebody with what was given', () => {
    expect(
      creationOf({ ...emptyProfile, first_name: 'A', last_name: 'B', username: 'ab', 'attribute:x': '1' }),
    ).toEqual({
      ...{ first_name: 'A', last_name: 'B', username: 'ab', role: 'USER', status: 'ACTIVE', tags: [] },
      attributes: [{ name: 'x', value: '1' }],
    })
  })

  it('reads tags that are separated by commas, each once', () => {
    expect(tagsOf(' a,b , ,a')).toEqual([{ name: 'a' }, { name: 'b' }])
  })

  it('reads tags as they are shown, also with commas and quotes', () => {
    const shownWith = (tags: readonly string[]) =>
      profileOf({ tags: tags.map((name) => ({ name })), attributes: [] } as unknown as User, []).tags
    expect(shownWith(['a', 'Paris, France'])).toBe('a, "Paris, France"')
    const tag = fc
      .string({ unit: fc.constantFrom('a', ',', '"', ' ', 'ü'), minLength: 1 })
      .filter((text) => text.trim() === text)
    fc.assert(
      fc.property(fc.uniqueArray(tag), (tags) => {
        expect(tagsOf(shownWith(tags))).toEqual(tags.map((name) => ({ name })))
      }),
    )
  })

  it('has a field for each attribute that exists, given or not', () => {
    const user = { tags: [], attributes: [{ name: 'x', value: '1' }], email: null } as unknown as Parameters<
      typeof profileOf
    >[0]
    expect(profileOf(user, ['x', 'y'])).toMatchObject({ 'attribute:x': '1', 'attribute:y': '', email: '' })
  })
})
