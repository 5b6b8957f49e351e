/** What each tag's operations are about, in the order in which the document shows them. */
export const tags: Readonly<Record<string, string>> = {
  Users: 'The people of the organisation: their records, their states, and the 14 days between a deletion and its end.',
  'User groups':
    'The groups of the organisation form one tree: their texts, their places in it, and who counts as a member.',
  'User group assignments':
    'Who holds which role in which user group: given by hand, or through the primary group or a rule.',
  Roles: 'What people can be in user groups and on channels: texts, permissions, and whether a role can be handed out.',
  'User attribute definitions': 'The attributes that users can have: names, titles and types. There are 50 at most.',
  Channels:
    'Channels bring tasks to many people at once: their texts, their states, and the user groups attached to them.',
  'Channel assignments':
    'Who holds which role on a channel: directly, or as a member of a user group that is attached to it.',
  Tasks: 'What an author asks people to do: created, changed, deleted, and listed for everybody who has a part in it.',
  'Task assignments':
    'Who has to do which task, and how far they have come. Recipients see their own assignments, authors all of a task.',
  'Calendar settings': 'How the calendar of the organisation works: time zone, working hours, defaults of new events.',
  Events: 'Who changed what, and when: of every record, for 400 days. Nobody can change or delete an event.',
  Organisation: 'The languages that the organisation uses, and the features it has switched on.',
}
