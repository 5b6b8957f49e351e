/** What each tag's operations are about, in the order in which the document shows them. */
export const tags: Readonly<Record<string, string>> = {
  Users: 'The users of the organisation: their records, their states, and the 14 days before a deletion is final.',
  'Own account': 'What every active user can read about themselves: their record, their user groups, their channels.',
  People: 'What people see of each other: names, department, location, job title and picture.',
  'User groups':
    'The groups of the organisation, which form one tree: their texts, their place in the tree, archiving and deletion.',
  'User group assignments':
    'Which users hold which roles in user groups: given by hand, by the primary group or by a rule.',
  'User group rules':
    'Rules that assign users to user groups: while a user matches a rule, they hold its role in its group.',
  Roles:
    'The roles that users can hold in user groups and on channels: texts, permissions, and whether administrators may hand them out.',
  'User attribute definitions': 'The attributes that users can have: names, titles and types. There are 50 at most.',
  Channels:
    'Channels bring tasks to many people at once: their texts, their states, and the user groups attached to them.',
  'Channel assignments': 'Which users hold which roles on channels: directly, or as members of an attached user group.',
  Tasks: 'Tasks that an author gives to recipients: create, change, delete, list.',
  'Task assignments':
    'The recipients of tasks and their progress. Recipients see their own assignments, authors those of their tasks.',
  'Calendar settings': 'The settings of the calendar: time zone, working hours, defaults of new events.',
  Events: 'Who changed what and when, for 400 days. Events cannot be changed or deleted.',
  'Service tokens': 'Long-lived credentials for programs: scopes, expiry and rotation. For administrators only.',
  Webhooks:
    'Addresses that get every event as it happens, signed. Failed deliveries are retried for 28 hours. There are 20 webhooks at most.',
  Plans:
    'Changes of many users that are worked out and shown first, then made, and can be taken back: everybody who matches a selection, or another plan the other way round.',
  Organisation: 'The languages of the organisation, and the features that are switched on.',
}
