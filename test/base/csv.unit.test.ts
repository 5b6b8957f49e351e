import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvOf } from '../../domain/base/csv.ts'
import { anyCharacter } from '../harness/anyCharacter.ts'

it.each([
  ['a,b', '"a,b"'],
  ['say "no"', '"say ""no"""'],
  ['one\ntwo', '"one\ntwo"'],
  ['=1+1', "'=1+1"],
  ['+49', "'+49"],
  ['-1', "'-1"],
  ['@me', "'@me"],
  ["'quoted", "''quoted"],
  ['\tx', "'\tx"],
  ['\rx', '"\'\rx"'],
  ['a=b', 'a=b'],
  ['', ''],
  [null, ''],
  [-12, '-12'],
])('%j is %j', (cell, line) => {
  expect(csvOf(['value'], [{ value: cell }])).toBe(`value\r\n${line}\r\n`)
})

it('is read back by others as it was, and no cell begins like a formula', () => {
  const text = fc.string({ unit: fc.oneof(fc.constantFrom(...'=+-@\'"\t\r\n, '), anyCharacter), maxLength: 8 })
  fc.assert(
    fc.property(fc.array(fc.record({ a: text, b: text }), { minLength: 1 }), (rows) => {
      const [head, ...lines] = parse(csvOf(['a', 'b'], rows), { relax_quotes: false }) as string[][]
      expect(head).toEqual(['a', 'b'])
      const unguarded = lines.map((cells) => cells.map((cell) => cell.replace(/^'(?=[=+\-@'\t\r])/, '')))
      expect(unguarded).toEqual(rows.map(({ a, b }) => [a, b]))
      expect(lines.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([])
    }),
  )
})
