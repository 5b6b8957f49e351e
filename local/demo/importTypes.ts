// The types of an import file as the demo data fills it.

export type Text = { language: string; text: string }

export type DirectoryUser = {
  id: string
  external_id?: string
  username: string
  first_name: string
  last_name: string
  email?: string
  role?: 'USER' | 'ADMIN'
  status?: 'ACTIVE' | 'LOCKED' | 'DEACTIVATED' | 'PENDING_DELETION'
  deletion_at?: string
  required_actions?: string[]
  attributes?: { name: string; value: string }[]
  tags?: { name: string }[]
  profile_picture?: { file_id: string }
  primary_user_group_id?: string
  protected?: boolean
}

export type DirectoryRole = {
  id: string
  title: Text[]
  description?: Text[]
  scope: 'ORGANISATION' | 'USER_GROUPS' | 'CHANNELS'
  type: 'PREDEFINED' | 'CUSTOM'
  predefined_role_type?: string
  permissions: string[]
  assignable?: boolean
}

export type DirectoryGroup = {
  id: string
  title: Text[]
  description?: Text[]
  type: 'ROOT' | 'ALL_USERS' | 'CUSTOM'
  parent_id?: string
  status?: 'ACTIVE' | 'ARCHIVED'
  external_id?: string
}

export type DirectoryRule = {
  id: string
  title: string
  user_group_id: string
  role_id: string
  match?: 'ALL' | 'ANY'
  conditions: { field: string; operator: string; values?: string[] }[]
  except_user_ids?: string[]
  enabled?: boolean
}

export type DirectoryTask = {
  id: string
  author_id: string
  title: string
  body: { plain?: string; delta?: string; html?: string }
  due_at?: { due_at_type: 'DATE'; date: string } | { due_at_type: 'DATE_TIME'; date_time: string }
  external_id?: string
}

export type Directory = {
  organisation?: {
    default_language: string
    languages: string[]
    features: { tasks: boolean; user_deactivation: boolean }
  }
  roles?: DirectoryRole[]
  user_groups?: DirectoryGroup[]
  attribute_definitions?: {
    technical_name: string
    title: Text[]
    attribute_type: 'TEXT' | 'PHONE_NUMBER' | 'DATE'
    user_permission?: 'VIEW' | 'EDIT' | 'HIDDEN'
  }[]
  users?: DirectoryUser[]
  user_group_assignments?: { group_id: string; user_id: string; role_id: string; source: string }[]
  channels?: { id: string; title: Text[]; default_role_id: string; status?: 'ACTIVE' | 'ARCHIVED' }[]
  channel_user_groups?: { channel_id: string; group_id: string; role_id: string }[]
  user_group_rules?: DirectoryRule[]
  channel_assignments?: { channel_id: string; user_id: string; role_id: string }[]
  tasks?: DirectoryTask[]
  task_assignments?: { task_id: string; user_id: string; progress_status?: 'NEW' | 'OPEN' | 'FINISHED' }[]
}
