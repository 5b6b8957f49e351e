import { useMemo } from 'preact/hooks'
import { api, type Schemas } from '../data/api.ts'
import { faultsByField } from '../data/problem.ts'
import { useEdit, type Version } from '../data/useEdit.ts'
import { useRead } from '../data/useRead.ts'
import { EditForm } from '../parts/EditForm.tsx'
import { Check, SelectField, TextField } from '../parts/Field.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { say } from '../shell/announce.tsx'
import { type Texts, useTexts } from '../texts/texts.ts'

const path = '/api/admin/calendar/v4/calendar-settings'
type Settings = Schemas['CalendarAdministration']
const days = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'] as const
type Day = (typeof days)[number]
const weekStarts = ['MONDAY', 'SATURDAY', 'SUNDAY'] as const

type Value = {
  time_zone: string
  week_start: Settings['week_start']
  working_days: readonly Day[]
  hours: Settings['working_hours']
  duration: string
  reminder: string
  event_creation: Settings['event_creation']
  show_participant_list: boolean
}

const fieldsOf = (settings: Settings): Value => ({
  time_zone: settings.time_zone,
  week_start: settings.week_start,
  working_days: settings.working_days as Day[],
  hours: settings.working_hours,
  duration: String(settings.default_event_duration_minutes),
  reminder: settings.default_reminder_minutes === null ? '' : String(settings.default_reminder_minutes),
  event_creation: settings.event_creation,
  show_participant_list: settings.show_participant_list,
})

async function readSettings(signal: AbortSignal | null = null): Promise<Version<Value>> {
  const { data, response } = await api.GET(path, { signal })
  return { value: fieldsOf(data), etag: response.headers.get('etag') ?? '*' }
}

/** Time zone, working hours and what else calendars begin with. */
export function Calendar() {
  const read = useRead('calendar', readSettings)
  return (
    <section class="card">
      <Loaded read={read}>
        {(version) => <CalendarForm key={version.etag} version={version} again={read.again} />}
      </Loaded>
    </section>
  )
}

/** What is sent of a change: an empty reminder means none. */
const patchOf = ({ hours, duration, reminder, working_days, ...rest }: Partial<Value>) => ({
  ...rest,
  ...(working_days ? { working_days: [...working_days] } : {}),
  ...(hours ? { working_hours: hours } : {}),
  ...(duration !== undefined ? { default_event_duration_minutes: Number(duration) } : {}),
  ...(reminder !== undefined ? { default_reminder_minutes: reminder === '' ? null : Number(reminder) } : {}),
})

const fieldsOfFaults = [
  'time_zone',
  'working_days',
  'working_hours',
  'default_event_duration_minutes',
  'default_reminder_minutes',
]

function CalendarForm({ version, again }: { version: Version<Value>; again: () => void }) {
  const texts = useTexts()
  const edit = useEdit<Value>({
    version,
    save: (changes, etag) => api.PATCH(path, { params: { header: { 'if-match': etag } }, body: patchOf(changes) }),
    read: readSettings,
    onSaved: () => {
      say(texts.settings.savedForAll)
      again()
    },
  })
  const { value, set, problem } = edit
  const faults = useMemo(() => faultsByField(problem, fieldsOfFaults, texts), [problem, texts])
  const c = texts.settings.calendar
  return (
    <EditForm<Value>
      edit={edit}
      record={{ kind: 'calendar_settings', id: 'settings' }}
      faults={faults}
      names={c}
      show={(field, shown: Value[keyof Value]) => words(field, shown, texts)}
    >
      <div class="columns">
        <TextField
          name="time_zone"
          label={c.time_zone}
          hint={c.timeZoneHint}
          isRequired
          max={64}
          value={value.time_zone}
          onValue={(time_zone) => set({ time_zone })}
          fault={faults.get('time_zone')}
        />
        <SelectField
          name="week_start"
          label={c.week_start}
          value={value.week_start}
          onValue={(week_start) => set({ week_start })}
          options={weekStarts.map((day) => ({ value: day, text: c.days[day] }))}
        />
      </div>
      <fieldset>
        <legend>{c.working_days}</legend>
        <div class="columns">
          {days.map((day) => (
            <Check
              key={day}
              label={c.days[day]}
              isChecked={value.working_days.includes(day)}
              onChecked={(is) =>
                set({ working_days: days.filter((one) => (one === day ? is : value.working_days.includes(one))) })
              }
            />
          ))}
        </div>
      </fieldset>
      <div class="columns">
        <TextField
          name="working_hours"
          type="time"
          label={c.start}
          isRequired
          value={value.hours.start}
          onValue={(start) => set({ hours: { ...value.hours, start } })}
          fault={faults.get('working_hours')}
        />
        <TextField
          name="end"
          type="time"
          label={c.end}
          isRequired
          value={value.hours.end}
          onValue={(end) => set({ hours: { ...value.hours, end } })}
        />
        <TextField
          name="default_event_duration_minutes"
          type="number"
          range={[5, 1_440]}
          label={c.duration}
          isRequired
          value={value.duration}
          onValue={(duration) => set({ duration })}
          fault={faults.get('default_event_duration_minutes')}
        />
        <TextField
          name="default_reminder_minutes"
          type="number"
          range={[0, 40_320]}
          label={c.reminder}
          hint={c.reminderHint}
          value={value.reminder}
          onValue={(reminder) => set({ reminder })}
          fault={faults.get('default_reminder_minutes')}
        />
        <SelectField
          name="event_creation"
          label={c.event_creation}
          value={value.event_creation}
          onValue={(event_creation) => set({ event_creation })}
          options={(['EVERYONE', 'ADMINS'] as const).map((one) => ({ value: one, text: c.creators[one] }))}
        />
      </div>
      <Check
        label={c.show_participant_list}
        isChecked={value.show_participant_list}
        onChecked={(show_participant_list) => set({ show_participant_list })}
      />
    </EditForm>
  )
}

/** A value in words, where two versions are compared. */
function words(field: keyof Value, shown: Value[keyof Value], texts: Texts): string {
  const c = texts.settings.calendar
  if (typeof shown === 'boolean') return shown ? texts.common.yes : texts.common.no
  if (field === 'working_days') return (shown as readonly Day[]).map((day) => c.days[day]).join(', ')
  if (field === 'week_start') return c.days[shown as Day]
  if (field === 'event_creation') return c.creators[shown as Settings['event_creation']]
  if (field === 'hours') return Object.values(shown as Value['hours']).join('–')
  return String(shown)
}
