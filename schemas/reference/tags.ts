/** What each tag's operations are about, in the order in which the document shows them. */
export const tags: Readonly<Record<string, string>> = {
  Users: 'The people of the organisation: their records, their states, and the 14 days between a deletion and its end.',
  'User groups':
    'The groups of the organisation form one tree: their texts, their places in it, and who counts as a member.',
  'User group assignments':
    'Which users hold which roles in user groups: given by hand, or through the primary group or a rule.',
  'User group rules': 'Rules that keep user groups: while a user matches one, they hold its role in its group.',
  Roles:
    'The roles that users can hold in user groups and on channels: texts, permissions, and whether a role can be handed out.',
  'User attribute definitions': 'The attributes that users can have: names, titles and types. There are 50 at most.',
  Channels:
    'Channels bring tasks to many people at once: their texts, their states, and the user groups attached to them.',
  'Channel assignments': 'Which users hold which roles on channels: directly, or as members of an attached user group.',
  Tasks: 'What an author asks people to do: created, changed, deleted, and listed for authors and recipients.',
  'Task assignments':
    'The recipients of tasks and how far they have come. Recipients see their own assignments, authors those of their tasks.',
  'Calendar settings': 'How the calendar of the organisation works: time zone, working hours, defaults of new events.',
  Events: 'Who changed what and when, for 400 days. Events cannot be changed or deleted.',
  'Service tokens':
    'Long-lived credentials for programs: their scopes, their ends, and how their secrets are replaced. For administrators only.',
  Webhooks:
    'Addresses that get every event as it happens, signed, and tried again until it is delivered. There are 20 at most.',
  Organisation: 'The languages that the organisation uses, and the features it has switched on.',
}
