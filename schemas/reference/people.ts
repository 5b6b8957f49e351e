import * as contracts from '../people.ts'
import { describe, fieldsOf, prose } from './describe.ts'
import { offsetPage, offsetPaginationFields } from './shared.ts'

const hidden =
  'Null if the person has none, and for all but administrators also if the definition of the attribute is `HIDDEN`.'

const personFields = fieldsOf(contracts.person)({
  id: ['The id of the person.', 'user-002'],
  first_name: ['The first name; empty if the person is deleted.', 'Anna'],
  last_name: ['The last name; empty if the person is deleted.', 'Müller'],
  department: [`The value of the attribute \`department\`. ${hidden}`, 'People & Culture'],
  location: [`The value of the attribute \`location\`. ${hidden}`, 'Berlin'],
  job_title: [`The value of the attribute \`job_title\`. ${hidden}`, 'Recruiter'],
  profile_picture: [
    'The profile picture, or null.',
    { file_id: ['The id of the picture in the file service.', 'portrait-1'] },
  ],
  is_deleted: ['Whether the person is pending deletion. Then only the id is shown.', false],
})

export const people = describe(contracts, {
  listPeople: {
    text: prose(`
      Lists and searches the people of the organisation, for every active user: who can get a task, who is a colleague. These
      are the active users. Nothing is shown, searched or sorted by but what the answer has: no e-mail address, no
      username, no role.

      With \`id\` it answers these people instead, whatever their status, each once and in the order asked for: for names
      beside ids, such as those of recipients. Ids that nobody has are left out.

      **Limits:** searches have the budget of *List, search and filter users*: if more people match than it can find, the answer has the
      first ones in order, and \`total_relation\` is \`AT_LEAST\`. Rows of hidden matches count in the budget, too. On AWS a
      change may show here a moment later; reading a person always shows it.`),
    query: {
      ...offsetPage,
      id: [
        'These people, up to 100, on one page. Not together with a search, a sort or a page. Repeat the parameter for each id.',
        ['user-002'],
      ],
      search_term: [
        'Finds people by first name, last name, department and location, the latter two unless they are hidden from the caller. Every search word must be the beginning of a word in one of them; case and accents do not matter. Up to 200 characters.',
        'ann',
      ],
      sort: [
        'The order, ignoring case and accents. The default is `LAST_NAME_ASC`, where equal last names go by first name; ties are sorted by id.',
        ['LAST_NAME_ASC'],
      ],
    },
    send: { search_term: 'ann', page_limit: 2 },
    answers: { 200: 'One page of the people who match, and their total.' },
    answer: {
      users: ['The people on this page, in the order asked for.', personFields],
      pagination: ['Which part of the whole list this page is.', offsetPaginationFields],
    },
  },

  getPerson: {
    text: prose(`
      Reads a person as all users see them, also one who is locked or deactivated, as tasks name their authors. Of a person
      pending deletion only the id is shown. The \`etag\` depends on what is shown, and on nothing else.`),
    path: { user_id: ['The id of the person.', 'user-002'] },
    answers: { 200: 'The person.' },
    answer: personFields,
  },
})
