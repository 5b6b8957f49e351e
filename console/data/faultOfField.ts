// What is wrong with a value, in the reader's words. The service says it in English, by sentences of a closed list. Pure.
import { type Texts, textOf } from '../texts/texts.ts'

type Sentence = [pattern: RegExp, say: (texts: Texts, found: string[]) => string]

/** The sentences that people can bring about here. What is not among them is for programs, or has a code that says it. */
const sentences: readonly Sentence[] = [
  [/^must be given(?: with .+|, as .+| where .+)?$/, ({ problems }) => problems.required],
  [/^must be given together with (\w+)$/, ({ faults, fields }, [other = '']) => faults.together(textOf(fields, other))],
  [/^must be one of (.+?)(?: for \w+)?$/, (texts, [words = '']) => texts.faults.oneOf(inWords(words, texts))],
  [/^must (?:have an allowed form|be valid)$/, ({ faults }) => faults.form],
  [/^must not be a reserved word$/, ({ faults }) => faults.reserved],
  [/^must have a character that can be seen$/, ({ faults }) => faults.invisible],
  [/^must be an e-mail address/, ({ problems }) => problems.notAnEmail],
  [/^must be (?:integer|number)/, ({ faults }) => faults.number],
  [/^must be (?:string|object|array|boolean|null)/, ({ faults }) => faults.form],
  [/^must have at least (\d+) characters?$/, ({ faults }, [least]) => faults.tooShort(Number(least))],
  [/^must have at most (\d+) characters?\b/, ({ faults }, [most]) => faults.tooLong(Number(most))],
  [/^must have at least (\d+) (?:item|member)s?$/, ({ faults }, [least]) => faults.tooFew(Number(least))],
  [/^must have at most (\d+) (?:item|member|user)s?$/, ({ faults }, [most]) => faults.tooMany(Number(most))],
  [/^must be >= (\S+)$/, ({ faults }, [least]) => faults.least(Number(least))],
  [/^must be <= (\S+)$/, ({ faults }, [most]) => faults.most(Number(most))],
  [/^must not (?:have an item|be given) twice$/, ({ faults }) => faults.twice],
  [/^must be UTF-8/, ({ faults }) => faults.unreadable],
  [/^must be a (?:date|moment) that the calendar has$/, ({ problems }) => problems.notADate],
  [/^must be in the future$/, ({ faults }) => faults.past],
  [/^must be at most (\d+) years from now$/, ({ faults }, [years]) => faults.years(Number(years))],
  [/^must not be before from$/, ({ faults }) => faults.endsBefore],
  [/^must be at most (\d+) days after from$/, ({ faults }, [days]) => faults.days(Number(days))],
  [/^must be a host, without an @$/, ({ faults }) => faults.host],
  [/^must be the IANA name of a time zone/, ({ faults }) => faults.timeZone],
  [/^must start before they end/, ({ faults }) => faults.hours],
  [/^must have READ together with WEBHOOKS$/, ({ faults, connections }) => faults.needs(connections.scopes.READ)],
  [/^must stay as it is/, ({ faults }) => faults.stays],
  [/narrow the search$/, ({ people }) => people.atLeastAdvice],
]

/** Values that the console calls by words. */
const inWords = (values: string, { role, status }: Texts): string =>
  values
    .split(', ')
    .map((value) => textOf({ ...role, ...status }, value))
    .join(', ')

/** What the service says about a value, in the reader's language; undefined if there are no words for it. */
export function faultOfField(message: string, texts: Texts): string | undefined {
  for (const [pattern, say] of sentences) {
    const found = pattern.exec(message)
    if (found) return say(texts, found.slice(1))
  }
  return undefined
}
