// Checks a table of generated users in a separate process, so that its memory can be measured.
import { rmSync } from 'node:fs'
import type { Item } from '../../../domain/table/store.ts'
import { type Counters, itemsOf } from '../../../test/harness/bulk.ts'
import { creationOf } from '../../../test/harness/manyUsers.ts'
import { openCopy } from '../../verify/tableCopy.ts'
import { verify } from '../../verify/verify.ts'
import { serve } from '../processes.ts'
import { newPerson } from '../sampleRecords.ts'

/** How many users, the items of the empty directory they are in, and the file of the copy. */
export type Job = { users: number; directory: Item[]; file: string }
export type Verified = { items: number; findings: string[]; megabytes: number; seconds: number }

/** As many items as a page of a scan has, about. */
const PAGE = 200

serve<Job, Verified>(async ({ users, directory, file }, say) => {
  const start = performance.now()
  const now = new Date().toISOString()
  const copy = openCopy(file)
  const counters: Counters = new Map(directory.map((item) => [`${item.pk} ${item.sk}`, item]))
  for (let first = 0; first < users; first += PAGE) {
    const page = Array.from({ length: PAGE }, (_, n) => creationOf(person(first + n), { now, shard: n % 32 }))
    copy.add(itemsOf(page.flat(), counters))
    if (first % 20_000 === 0) say(`${first} of ${users} users read`)
  }
  copy.add([...counters.values()])
  copy.sort()
  const { items, findings } = verify(copy, now, (checked, of) => {
    if (checked % 20_000 === 0) say(`${checked} of ${of} users checked`)
  })
  copy.close()
  rmSync(file)
  // The most that the process ever had in memory, in kilobytes; SQLite's part is in it.
  const megabytes = process.resourceUsage().maxRSS / 1024
  return { items, findings: findings.map(({ what }) => what), megabytes, seconds: (performance.now() - start) / 1000 }
})

const person = (n: number) => ({ ...newPerson(`person-${n}`), last_name: `Ferrán-Oliveira ${n}` })
