import { previewRule } from '../../domain/people/rules/previewRule.ts'
import { wrongInPreview } from '../../domain/people/rules/ruleInput.ts'
import * as compiled from '../../schemas/compiled/previewRule.js'
import type { previewRule as contract } from '../../schemas/rules.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'

export const handler = endpoint<typeof contract>(compiled)(previewRule, { body: readJson, moreFaults: wrongInPreview })
