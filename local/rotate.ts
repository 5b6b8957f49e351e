// npm run rotate: replaces the key that encrypts cursors.
import { parseArgs } from 'node:util'
import { rotateSecret } from '../handlers/middleware/seals.ts'
import { openTable, tableFault, tableHelp, tableOptions, useTable } from './database/openTable.ts'
import { command, said } from './shared/command.ts'

const help = `Usage: npm run rotate -- [--forget] [--table NAME] [--aws]

Replaces the key of cursors. Functions read the new one within a minute and use it two minutes from now. Cursors
from before are good for another day. No function has to be deployed.

${tableHelp}
  --forget       refuses older cursors after two minutes at most, if the old key has leaked
`

const run = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      forget: { type: 'boolean', default: false },
      ...tableOptions,
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return said(help)
  await useTable(values)
  await rotateSecret(openTable(), new Date(), { forget: values.forget })
  const old = values.forget ? 'refused within two minutes' : 'good for another day'
  return said(`${process.env.TABLE_NAME} has a new key. Cursors from before are ${old}.`)
}

await command(run, tableFault)
