/** Makes the table of settings in docs/feeds.md from the JSON Schema of feeds. */
import { z } from 'zod'

/** The parts of a JSON Schema that the schema of feeds uses. */
interface Node {
  readonly type?: string | undefined
  readonly enum?: readonly string[] | undefined
  readonly const?: string | undefined
  readonly default?: unknown
  readonly description?: string | undefined
  readonly properties?: Readonly<Record<string, Node>> | undefined
  readonly required?: readonly string[] | undefined
  readonly additionalProperties?: Node | false | undefined
  readonly anyOf?: readonly Node[] | undefined
  readonly items?: Node | undefined
  readonly oneOf?: readonly Node[] | undefined
}
const node: z.ZodType<Node> = z.lazy(() =>
  z.object({
    type: z.string().optional(),
    enum: z.array(z.string()).optional(),
    const: z.string().optional(),
    default: z.unknown().optional(),
    description: z.string().optional(),
    properties: z.record(z.string(), node).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.literal(false), node]).optional(),
    anyOf: z.array(node).optional(),
    items: node.optional(),
    oneOf: z.array(node).optional(),
  }),
)

export interface Setting {
  /** Such as `model.key`; `NAME` stands for a name that the feed chooses. */
  readonly path: string
  readonly takes: string
  /** As YAML writes it; empty when there is none. */
  readonly preset: string
  readonly required: boolean
  readonly description: string
}

function describeValue({ type, enum: values, const: only, anyOf, oneOf, items }: Node): string {
  // Branches that a setting of theirs tells apart are all maps.
  if (oneOf) return 'map'
  if (anyOf) return anyOf.map(describeValue).join(' or ')
  if (values) return values.map(value => `\`${value}\``).join(', ')
  if (only !== undefined) return `\`${only}\``
  if (items?.description !== undefined) return `list of ${items.description}`
  return (
    { string: 'text', boolean: 'true or false', array: 'list of columns', object: 'map' }[type ?? ''] ??
    type ??
    ''
  )
}

function* walk(
  path: string,
  { properties = {}, required = [], additionalProperties, anyOf = [], oneOf = [], items }: Node,
): Generator<Setting> {
  for (const [key, child] of Object.entries(properties)) {
    const own = path === '' ? key : `${path}.${key}`
    // Empty maps are there for the settings inside them.
    const { default: preset } = child
    const hasPreset = preset !== undefined && typeof preset !== 'object'
    yield {
      path: own,
      takes: describeValue(child),
      preset: hasPreset ? JSON.stringify(preset) : '',
      required: required.includes(key),
      description: child.description ?? '',
    }
    yield* walk(own, child)
  }
  if (additionalProperties) yield* walk(`${path}.NAME`, additionalProperties)
  for (const branch of [...anyOf, ...oneOf]) yield* walk(path, branch)
  if (items) yield* walk(`${path}[]`, items)
}

const joined = (separator: string, ...texts: readonly string[]) =>
  [...new Set(texts.flatMap(text => text.split(separator)))].join(separator)

/** A setting that several branches have, as one. */
const merge = (one: Setting, other: Setting): Setting => ({
  ...one,
  takes: joined(one.takes.startsWith('`') ? ', ' : ' or ', one.takes, other.takes),
  required: one.required && other.required,
  description: joined('; ', one.description, other.description),
})

/** Every setting, in the order of the schema; throws when `schema` is no JSON Schema. */
export function listSettings(schema: unknown): Setting[] {
  const settings = new Map<string, Setting>()
  for (const setting of walk('', node.parse(schema))) {
    const known = settings.get(setting.path)
    settings.set(setting.path, known ? merge(known, setting) : setting)
  }
  return [...settings.values()]
}

const cell = (text: string) => text.replaceAll('|', String.raw`\|`)

/** One row a setting, as Markdown. */
export function renderSettings(settings: readonly Setting[]): string {
  const rows = settings.map(({ path, takes, preset, required, description }) => {
    const by = required ? 'required' : preset === '' ? '' : `\`${preset}\``
    return `| \`${path}\` | ${cell(takes)} | ${cell(by)} | ${cell(description)} |`
  })
  return ['| setting | takes | default | |', '|---|---|---|---|', ...rows, ''].join('\n')
}

const BEGIN = '<!-- settings: npm run schema writes them -->\n'
const END = '<!-- end of settings -->'

/** The document with its table made anew; throws when the document has no place for it. */
export function replaceSettings(document: string, table: string): string {
  const [start, end] = [document.indexOf(BEGIN), document.indexOf(END)]
  if (start === -1 || end < start) throw new Error('the document has no place for the settings')
  return `${document.slice(0, start)}${BEGIN}${table}${document.slice(end)}`
}
