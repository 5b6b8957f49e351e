import { expect, test } from 'vitest'
import { filtersIn } from '../../local/shared/filterOptions.ts'

const filters = { several: ['status'], one: ['search_term'] }
const read = (...texts: string[]) => filtersIn('--filter', texts, filters)

test.each([
  [['status=ACTIVE,LOCKED', 'search_term=a = b'], { status: ['ACTIVE', 'LOCKED'], search_term: 'a = b' }],
  [
    ['attribute:job_title=Chef, de=partie'],
    { attribute_technical_name: 'job_title', attribute_value: 'Chef, de=partie' },
  ],
  [[], {}],
])('%j', (texts, found) => expect(read(...texts)).toEqual(found))

test.each([
  [['status'], '--filter status: give NAME=VALUE, with a value.'],
  [['search_term= '], '--filter search_term= : give NAME=VALUE, with a value.'],
  [['department=Sales'], '--filter department=Sales: use one of status, search_term, attribute:NAME.'],
  [['attribute:=Sales'], '--filter attribute:=Sales: use one of status, search_term, attribute:NAME.'],
  [['status=ACTIVE', 'status=LOCKED'], '--filter names status twice.'],
  [['attribute:a=1', 'attribute:b=2'], '--filter names attribute_technical_name twice.'],
])('%j is refused', (texts, message) => expect(() => read(...texts)).toThrow(message))
