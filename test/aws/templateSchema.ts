import { loadAwsServiceSpecSync } from '@aws-cdk/aws-service-spec'

// Holds templates against the schemas of CloudFormation's resources.

// biome-ignore lint/suspicious/noExplicitAny: a template is data of any shape
type Any = any
type Database = ReturnType<typeof loadAwsServiceSpecSync>
type PropertyType = Any
type Properties = Record<string, { type: PropertyType; required?: boolean }>

/** What a resource may have besides its type and properties. */
const ofResources = [
  'Type',
  'Properties',
  'DependsOn',
  'Condition',
  'DeletionPolicy',
  'UpdateReplacePolicy',
  'Metadata',
]

let loaded: Database | undefined
const database = (): Database => (loaded ??= loadAwsServiceSpecSync())

/** What CloudFormation would not take, by the paths of properties. */
export function schemaFaults(template: Any): string[] {
  const resources = Object.entries<Any>(template.Resources)
  return resources.flatMap(([name, resource]) => {
    const type = resourceType(resource.Type)
    if (!type) return [`${name}: no type ${resource.Type}`]
    const unknown = Object.keys(resource).filter((key) => !ofResources.includes(key))
    const lacking = [resource.DependsOn ?? []].flat().filter((one: string) => !template.Resources[one])
    return [
      ...unknown.map((key) => `${name}: no ${key}`),
      ...lacking.map((one: string) => `${name} depends on ${one}, which is not there`),
      ...faultsOfObject(resource.Properties ?? {}, type.properties, { template, at: name }),
    ]
  })
}

/** Metrics of AWS that a template names and AWS does not have. */
export function unknownMetrics(text: string): string[] {
  const known = new Set([...database().all('metric')].map(({ namespace, name }) => `${namespace} ${name}`))
  const named = [
    ...text.matchAll(/"Namespace":"(AWS\/\w+)","MetricName":"(\w+)"/g),
    ...text.matchAll(/\["(AWS\/\w+)","(\w+)"/g),
  ]
  if (named.length === 0) throw new Error('The text names no metrics')
  return named.map(([, namespace, name]) => `${namespace} ${name}`).filter((metric) => !known.has(metric))
}

const resourceType = (name: string): { properties: Properties; attributes: Record<string, unknown> } | undefined =>
  [...database().lookup('resource', 'cloudFormationType', 'equals', name)][0]

type Place = { template: Any; at: string }

function faultsOfObject(value: Any, properties: Properties, place: Place): string[] {
  const required = Object.entries(properties).filter(([name, { required }]) => required && value[name] === undefined)
  return [
    ...required.map(([name]) => `${place.at} lacks ${name}`),
    ...Object.entries<Any>(value).flatMap(([name, one]) => {
      const at = `${place.at}.${name}`
      const property = properties[name]
      return property ? faultsOf(one, property.type, { ...place, at }) : [`${at}: no such property`]
    }),
  ]
}

function faultsOf(value: Any, type: PropertyType, place: Place): string[] {
  const intrinsic = faultsOfIntrinsic(value, place)
  if (intrinsic) return intrinsic
  const is = (right: boolean) => (right ? [] : [`${place.at}: ${JSON.stringify(value)} is no ${type.type}`])
  switch (type.type) {
    case 'json':
      return faultsWithin(value, place)
    case 'integer':
      return is(Number.isInteger(value))
    case 'array':
      return Array.isArray(value)
        ? value.flatMap((one, n) => faultsOf(one, type.element, { ...place, at: `${place.at}.${n}` }))
        : is(false)
    case 'map':
      return isObject(value)
        ? Object.entries<Any>(value).flatMap(([name, one]) =>
            faultsOf(one, type.element, { ...place, at: `${place.at}.${name}` }),
          )
        : is(false)
    case 'ref': {
      const definition = database().get('typeDefinition', type.reference.$ref)
      return isObject(value) ? faultsOfObject(value, definition.properties, place) : is(false)
    }
    case 'union': {
      const tried = type.types.map((one: PropertyType) => faultsOf(value, one, place))
      return tried.find((faults: string[]) => faults.length === 0) ?? tried.at(-1)
    }
    default:
      return is(typeof value === type.type)
  }
}

const isObject = (value: Any): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

/** References inside of documents such as policies. */
function faultsWithin(value: Any, place: Place): string[] {
  if (typeof value !== 'object' || value === null) return []
  return faultsOfIntrinsic(value, place) ?? Object.values(value).flatMap((one) => faultsWithin(one, place))
}

/** What a function of CloudFormation refers to must be there; undefined for other values. */
function faultsOfIntrinsic(value: Any, { template, at }: Place): string[] | undefined {
  if (!isObject(value) || Object.keys(value).length !== 1) return undefined
  const [[name, argument] = ['']] = Object.entries<Any>(value)
  if (name === 'Ref') return isKnown(argument, template) ? [] : [`${at}: no ${argument}`]
  if (name === 'Fn::GetAtt') return hasAttribute(argument, template) ? [] : [`${at}: no ${argument.join('.')}`]
  if (name === 'Fn::Join') return argument[1].flatMap((one: Any) => faultsWithin(one, { template, at }))
  if (name === 'Fn::Sub') {
    const names = [...String(argument).matchAll(/\$\{([\w:.]+)\}/g)].map(([, found = '']) => found)
    const isThere = (one: string) =>
      one.includes('.') ? hasAttribute(one.split('.'), template) : isKnown(one, template)
    return names.filter((one) => !isThere(one)).map((one) => `${at}: no ${one}`)
  }
  return name.startsWith('Fn::') ? [`${at}: ${name} is not known here`] : undefined
}

const isKnown = (name: string, { Resources, Parameters = {} }: Any): boolean =>
  name.startsWith('AWS::') || name in Resources || name in Parameters

function hasAttribute([name = '', attribute = '']: string[], { Resources }: Any): boolean {
  const type = Resources[name] && resourceType(Resources[name].Type)
  return type !== undefined && attribute in type.attributes
}
