import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, charactersIn, compareBytes, cut, SEPARATOR } from '../../domain/base/text.ts'
import { beginsWords, fold, isVisible, termWords, wordsOf } from '../../domain/base/words.ts'
import { anyCharacter } from '../harness/anyCharacter.ts'

const anyText = fc.string({ unit: anyCharacter, maxLength: 20 })

describe('folded text', () => {
  it.each([
    ['Müller', 'muller'],
    ['Straße', 'strasse'],
    ['Øre Łódź Æsir Œuvre', 'ore lodz aesir oeuvre'],
    ['đa ða þa ħa', 'da da tha ha'],
    ['ISTANBUL ıI', 'istanbul ii'],
    ['ΟΔΥΣΣΕΎΣ Οδυσσεύς', 'οδυσσευσ οδυσσευσ'],
    ['O’Neil ‘x’ ʼ', "o'neil 'x' '"],
    ['a‐b–c', 'a-b-c'],
    ['ＡＢＣ１', 'abc1'],
    ['ЙОСИФ', 'иосиф'],
    ['בּ', 'ב'],
    ['مَ م\u0610', 'م م'],
    ['а\u0483', 'а'],
    ['की กี', 'की กี'],
    ['がぎ パ', 'がぎ パ'],
    ['e\u0301\u0300', 'e'],
    ['a\u0001\tb\u009f', 'a  b '],
    ['plain ASCII ~', 'plain ascii ~'],
    ['', ''],
  ])('%j is %j', (text, folded) => {
    expect(fold(text)).toBe(folded)
  })

  it('stays as it is, and does not depend on case or composition', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aÄöüßéÉñŁø’– Çİ名'), maxLength: 12 }), (text) => {
        expect(fold(fold(text))).toBe(fold(text))
        expect(fold(text.normalize('NFD'))).toBe(fold(text.normalize('NFC')))
      }),
    )
  })
})

it.each([
  ['', 0],
  ['abc', 3],
  ['ä字', 2],
  ['😀a😀', 3],
  ['\ud83d\ud83d', 2],
  ['\ude00\ud83d', 2],
])('%j has %i characters', (text, count) => {
  expect(charactersIn(text)).toBe(count)
})

it.each([
  ['', false],
  [' ', false],
  ['\u200b\u00a0\u3000', false],
  ['\u0000\u0009\u0085', false],
  [' a ', true],
  ['字', true],
  ['😀', true],
])('%j is visible: %s', (text, visible) => {
  expect(isVisible(text)).toBe(visible)
})

describe('a text that is cut', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['äöü', 4, 'äö'],
    ['äöü', 3, 'ä'],
    ['äöü', 6, 'äöü'],
    ['字字', 5, '字'],
    ['字字', 2, ''],
    ['a😀b', 4, 'a'],
    ['a😀b', 5, 'a😀'],
    ['a', 0, ''],
    ['\ufeffab', 4, '\ufeffa'],
  ])('%j to %i bytes is %j', (text, bytes, expected) => {
    expect(cut(text, bytes)).toBe(expected)
  })

  it('is the longest beginning that fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.nat(30), (text, bytes) => {
        const short = cut(text, bytes)
        expect(text.startsWith(short)).toBe(true)
        expect(Buffer.byteLength(short)).toBeLessThanOrEqual(bytes)
        const [next = ''] = text.slice(short.length)
        if (next) expect(Buffer.byteLength(short + next)).toBeGreaterThan(bytes)
      }),
    )
  })
})

describe('the order of texts', () => {
  it('is that of their bytes', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }),
    )
    const units = ['', 'a', 'b', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}', 'ab', '\ufffd\u{10000}']
    for (const a of units)
      for (const b of units)
        expect(Math.sign(compareBytes(a, b)), `${a} ${b}`).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
  })
})

it.each([
  ['', []],
  ['  \t', []],
  ['ann lee', ['ann', 'ann', 'lee', 'lee']],
  ['van-dyk', ['van-dyk', 'van', 'dyk']],
  [' (x) ', ['(x)', 'x']],
  ['a.b@c.org', ['a.b@c.org', 'a', 'b', 'c', 'org', 'c.org']],
  ['@home', ['@home', 'home']],
  ['x@', ['x@', 'x']],
  ['a@b', ['a@b', 'a', 'b', 'b']],
  ['a@b@c', ['a@b@c', 'a', 'b', 'c', 'c']],
  ['--', ['--']],
])('the words of %j are %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words)
})

it.each([
  ['', []],
  [' Ann  LEE ', ['ann', 'lee']],
  ['a ann an', ['ann']],
  ['ann ann', ['ann']],
  ['b ccc aa', ['ccc', 'aa', 'b']],
  ['Ä', ['a']],
])('the words of the term %j are %j', (term, words) => {
  expect(termWords(term)).toEqual(words)
})

describe('the words of a search begin words of a text', () => {
  it.each<[term: string, text: string, expected: boolean]>([
    ['an', 'bo ann', true],
    ['an', 'joan', false],
    ['an', `bo${SEPARATOR}ann`, true],
    ['an', 'mary-ann', true],
    ['ann b', 'bo ann', true],
    ['ann b', 'ann', false],
    ['y-a', 'mary-ann', false],
    ['mary-a', `x${SEPARATOR}mary-ann`, true],
    ['c.o', 'a@c.org', true],
    ['c.o', 'cxo', false],
    ['c.o', 'a@c.org@x', false],
    ['c.o', 'a.c.org', false],
    ['c.o', '@c.org', false],
    ['@c.o', 'a@c.org', false],
    ['a@c', 'a@c.org', true],
    ['a@c', `b@a@c.org ${SEPARATOR}`, false],
    ['.*', 'abc', false],
    ['c++', 'c++ java', true],
    ['[x', 'a [x]', true],
  ])('%j in %j: %s', (term, text, expected) => {
    expect(beginsWords(term.split(' '))(text)).toBe(expected)
  })

  it('as looking through the words of each field would tell', () => {
    const unit = fc.constantFrom(...'aab@.- ++\\^$*?()[]{}|/é😀')
    const folded = (maxLength: number) => fc.string({ unit, maxLength }).map(fold)
    fc.assert(
      fc.property(folded(6), fc.array(folded(12), { maxLength: 3 }), (term, fields) => {
        const words = fields.flatMap(wordsOf)
        const terms = termWords(term)
        expect(beginsWords(terms)(fields.join(SEPARATOR))).toBe(
          terms.every((wanted) => words.some((word) => word.startsWith(wanted))),
        )
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a JSON text in one order', () => {
  it.each<[unknown, string]>([
    [{ b: 1, a: { d: [{ f: 1, e: null }], c: 'x' } }, '{"a":{"c":"x","d":[{"e":null,"f":1}]},"b":1}'],
    [JSON.parse('{"b": 1, "__proto__": {"a": 1}}'), '{"__proto__":{"a":1},"b":1}'],
    [null, 'null'],
    ['b', '"b"'],
    [[2, 1], '[2,1]'],
  ])('%j is %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  it('reads 500 levels, in objects and in lists', () => {
    const nested = (levels: number, part: (inner: unknown) => unknown): unknown =>
      levels === 0 ? 'x' : part(nested(levels - 1, part))
    for (const part of [(inner: unknown) => [inner], (inner: unknown) => ({ a: inner })]) {
      const [deepest, tooDeep] = [500, 501].map((levels) => JSON.stringify(nested(levels, part))) as [string, string]
      expect(canonicalJson(JSON.parse(deepest)) === deepest).toBe(true)
      expect(canonicalJson(JSON.parse(tooDeep)) === tooDeep.replace('"x"', 'null')).toBe(true)
    }
  })
})
