import type { Directory, DirectoryGroup, DirectoryRole, DirectoryRule, Text } from './importTypes.ts'

/** The same text in the demo organisation's three languages. */
export const text = (en: string, de: string, fr: string): Text[] => [
  { language: 'en-GB', text: en },
  { language: 'de-DE', text: de },
  { language: 'fr-FR', text: fr },
]

/** A group of users who work together; its English title is their department. */
export type Team = { id: string; area: string; title: [en: string, de: string, fr: string]; jobs: string[] }

export const teams: Team[] = [
  {
    id: 'logistics',
    area: 'operations',
    title: ['Logistics', 'Logistik', 'Logistique'],
    jobs: ['Dispatcher', 'Disponentin', 'Truck driver', 'Fleet planner'],
  },
  {
    id: 'warehouse',
    area: 'operations',
    title: ['Warehouse', 'Lager', 'Entrepôt'],
    jobs: ['Warehouse operative', 'Staplerfahrer', 'Shift lead', 'Magasinier'],
  },
  {
    id: 'production',
    area: 'operations',
    title: ['Production', 'Produktion', 'Production'],
    jobs: ['Machine operator', 'Mécanicien', 'Quality inspector', 'Werkstoffprüferin'],
  },
  {
    id: 'sales',
    area: 'commercial',
    title: ['Sales', 'Vertrieb', 'Ventes'],
    jobs: ['Account manager', 'Ingénieure commerciale', 'Key account manager', 'Sales assistant'],
  },
  {
    id: 'customer-care',
    area: 'commercial',
    title: ['Customer Care', 'Kundendienst', 'Service clients'],
    jobs: ['Care agent', 'Team coach', 'Chargé de clientèle', 'Service technician'],
  },
  {
    id: 'people',
    area: 'corporate',
    title: ['People & Culture', 'Personal', 'Ressources humaines'],
    jobs: ['HR business partner', 'Recruiter', 'Personalreferentin', 'Trainer'],
  },
  {
    id: 'finance',
    area: 'corporate',
    title: ['Finance', 'Finanzen', 'Finances'],
    jobs: ['Accountant', 'Controller', 'Comptable', 'Payroll specialist'],
  },
  {
    id: 'it',
    area: 'corporate',
    title: ['IT', 'IT', 'Informatique'],
    jobs: ['System administrator', 'Software engineer', 'Support engineer', 'Security officer'],
  },
]

const areas: Record<string, [string, string, string]> = {
  operations: ['Operations', 'Betrieb', 'Exploitation'],
  commercial: ['Commercial', 'Markt', 'Commerce'],
  corporate: ['Corporate', 'Zentrale Dienste', 'Services centraux'],
}

const custom = (id: string, parent_id: string, title: Text[]): DirectoryGroup => ({
  id,
  title,
  type: 'CUSTOM',
  parent_id,
  external_id: `ORG-${id.toUpperCase()}`,
})

/** Sites that have a group, by a rule on the attribute `location`. */
export const sites: Record<string, string> = {
  München: 'site-muenchen',
  Lyon: 'site-lyon',
  Łódź: 'site-lodz',
  大阪: 'site-osaka',
}

export const groups: DirectoryGroup[] = [
  { id: 'root', title: text('Nordwind', 'Nordwind', 'Nordwind'), type: 'ROOT' },
  {
    id: 'all-users',
    title: text('All users', 'Alle Nutzerinnen und Nutzer', 'Tous les utilisateurs'),
    type: 'ALL_USERS',
    parent_id: 'root',
  },
  ...Object.entries(areas).map(([id, title]) => custom(id, 'root', text(...title))),
  ...teams.map(({ id, area, title }) => custom(id, area, text(...title))),
  custom('sites', 'root', text('Sites', 'Standorte', 'Sites')),
  ...Object.entries(sites).map(([location, id]) => custom(id, 'sites', text(location, location, location))),
  {
    ...custom('first-aiders', 'root', text('First aiders', 'Ersthelfer', 'Secouristes')),
    description: text(
      'Trained within the last two years',
      'In den letzten zwei Jahren geschult',
      'Formés depuis deux ans',
    ),
  },
  custom('forklift-drivers', 'operations', text('Forklift drivers', 'Staplerfahrer', 'Caristes')),
  custom('external-staff', 'root', text('External staff', 'Externe', 'Personnel externe')),
  custom('mail-room', 'corporate', text('Mail room', 'Poststelle', 'Service du courrier')),
  { ...custom('print-shop', 'operations', text('Print shop', 'Druckerei', 'Imprimerie')), status: 'ARCHIVED' },
  { ...custom('call-centre', 'commercial', text('Call centre', 'Callcenter', "Centre d'appels")), status: 'ARCHIVED' },
]

/** The e-mail domain of people from a staffing agency. */
export const agencyHost = 'zeitwerk.example'

/** Rules of three groups: by an attribute, by the e-mail domain, and by a tag. */
export const rules: DirectoryRule[] = [
  {
    id: 'commercial-staff',
    title: 'Sales and Customer Care',
    user_group_id: 'commercial',
    role_id: 'group-member',
    conditions: [{ field: 'ATTRIBUTE:department', operator: 'EQUALS', values: ['Sales', 'Customer Care'] }],
  },
  {
    id: 'external-staff',
    title: 'People from the agency',
    user_group_id: 'external-staff',
    role_id: 'group-member',
    conditions: [{ field: 'EMAIL_DOMAIN', operator: 'EQUALS', values: [agencyHost] }],
  },
  {
    id: 'forklift-drivers',
    title: 'Everybody with a forklift licence',
    user_group_id: 'forklift-drivers',
    role_id: 'group-member',
    conditions: [{ field: 'TAG', operator: 'EQUALS', values: ['forklift-licence'] }],
  },
]

export const roles: DirectoryRole[] = [
  {
    id: 'group-member',
    title: text('Member', 'Mitglied', 'Membre'),
    scope: 'USER_GROUPS',
    type: 'PREDEFINED',
    predefined_role_type: 'USER_GROUP_MEMBER',
    permissions: ['GROUP_VIEW'],
  },
  {
    id: 'group-owner',
    title: text('Owner', 'Verantwortliche', 'Responsable'),
    scope: 'USER_GROUPS',
    type: 'PREDEFINED',
    predefined_role_type: 'USER_GROUP_OWNER',
    permissions: ['GROUP_VIEW', 'GROUP_UPDATE', 'GROUP_MEMBERS_UPDATE'],
  },
  {
    id: 'channel-member',
    title: text('Reader', 'Leserin', 'Lecteur'),
    scope: 'CHANNELS',
    type: 'PREDEFINED',
    predefined_role_type: 'CHANNEL_MEMBER',
    permissions: ['CHANNEL_VIEW'],
  },
  {
    id: 'channel-owner',
    title: text('Channel owner', 'Kanalverantwortliche', 'Responsable du canal'),
    scope: 'CHANNELS',
    type: 'PREDEFINED',
    predefined_role_type: 'CHANNEL_OWNER',
    permissions: ['CHANNEL_VIEW', 'CHANNEL_UPDATE', 'CHANNEL_MEMBERS_UPDATE'],
  },
  {
    id: 'group-coordinator',
    title: text('Coordinator', 'Koordination', 'Coordination'),
    description: text('Plans shifts and substitutes', 'Plant Schichten und Vertretungen', 'Planifie les équipes'),
    scope: 'USER_GROUPS',
    type: 'CUSTOM',
    permissions: ['GROUP_VIEW', 'GROUP_MEMBERS_UPDATE'],
  },
  {
    id: 'group-auditor',
    title: text('Auditor', 'Revision', 'Audit'),
    description: text('Given by the works council alone', 'Vergibt nur der Betriebsrat', 'Attribué par le CSE seul'),
    scope: 'USER_GROUPS',
    type: 'CUSTOM',
    permissions: ['GROUP_VIEW'],
    assignable: false,
  },
  {
    id: 'group-key-holder',
    title: text('Key holder', 'Schlüsselverwaltung', 'Gestion des clés'),
    scope: 'USER_GROUPS',
    type: 'CUSTOM',
    permissions: ['GROUP_VIEW'],
  },
  {
    id: 'channel-editor',
    title: text('Editor', 'Redaktion', 'Rédaction'),
    scope: 'CHANNELS',
    type: 'CUSTOM',
    permissions: ['CHANNEL_VIEW', 'CHANNEL_POST'],
  },
]

export const attributeDefinitions: NonNullable<Directory['attribute_definitions']> = [
  { technical_name: 'department', title: text('Department', 'Abteilung', 'Service'), attribute_type: 'TEXT' },
  { technical_name: 'location', title: text('Location', 'Standort', 'Site'), attribute_type: 'TEXT' },
  { technical_name: 'job_title', title: text('Job title', 'Berufsbezeichnung', 'Fonction'), attribute_type: 'TEXT' },
  {
    technical_name: 'phone',
    title: text('Phone', 'Telefon', 'Téléphone'),
    attribute_type: 'PHONE_NUMBER',
    user_permission: 'EDIT',
  },
  {
    technical_name: 'date_of_joining',
    title: text('Date of joining', 'Eintrittsdatum', "Date d'entrée"),
    attribute_type: 'DATE',
  },
  {
    technical_name: 'cost_center',
    title: text('Cost centre', 'Kostenstelle', 'Centre de coûts'),
    attribute_type: 'TEXT',
    user_permission: 'HIDDEN',
  },
  { technical_name: 'locker', title: text('Locker', 'Spind', 'Casier'), attribute_type: 'TEXT' },
]
