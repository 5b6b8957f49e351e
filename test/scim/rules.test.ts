import { beforeAll, expect, it } from 'vitest'
import { ENTERPRISE_URN } from '../../domain/scim/schema.ts'
import type { Any } from '../harness/call.ts'
import { startService } from '../harness/service.ts'
import { createRule, firstRule, newGroup, sourceOf } from '../rules/rules.ts'
import { expectAnswer, patchBody, scim } from './scim.ts'

// What a directory changes settles rules, and what rules give a directory cannot take.

beforeAll(async () => {
  const service = await startService({ indexes: 'all' })
  await firstRule(service)
  await newGroup('ruled')
  expect((await createRule('sales', 'ruled')).status).toBe(201)
})

const groupsOf = ({ body }: Any) => body.groups.map(({ value }: Any) => value)
const inSales = { [ENTERPRISE_URN]: { department: 'Sales' } }

it('a user comes and changes with the groups that rules give', async () => {
  const created = await scim('POST', '/Users', { body: { userName: 'ruled-1', ...inSales } })
  expectAnswer(created, 201)
  expect(groupsOf(created)).toEqual(['ruled'])
  const { id } = created.body
  const path = `${ENTERPRISE_URN}:department`
  const moved = await scim('PATCH', `/Users/${id}`, { body: patchBody({ op: 'replace', path, value: 'Other' }) })
  expect(groupsOf(moved)).toEqual([])
  await scim('DELETE', `/Users/${id}`)
  const back = await scim('POST', '/Users', { body: { userName: 'ruled-1', ...inSales } })
  expect(back.body.id).toBe(id)
  expect(groupsOf(await scim('GET', `/Users/${id}`))).toEqual(['ruled'])
})

it('a membership by hand that is withdrawn becomes one by rule where a rule gives it', async () => {
  const { id } = (await scim('POST', '/Users', { body: { userName: 'ruled-2', ...inSales } })).body
  const change = (op: string) =>
    scim('PATCH', '/Groups/ruled', { body: patchBody({ op, path: 'members', value: [{ value: id }] }) })
  expect(await sourceOf('ruled', id)).toBe('RULE')
  expectAnswer(await change('remove'), 204)
  expect(await sourceOf('ruled', id)).toBe('RULE')
  expectAnswer(await change('add'), 204)
  expect(await sourceOf('ruled', id)).toBe('MANUAL')
  expectAnswer(await change('remove'), 204)
  expect(await sourceOf('ruled', id)).toBe('RULE')
  const { members } = (await scim('GET', '/Groups/ruled')).body
  expect(members.map(({ value }: Any) => value)).toContain(id)
})
