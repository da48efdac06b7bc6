/** Prices and assumptions as they stand in their YAML files: the form, the check, and how a file of one's own lies over them. */
import { parse } from 'yaml'
import { z } from 'zod'

export const EDITIONS = ['STANDARD', 'ENTERPRISE', 'ENTERPRISE_PLUS'] as const
export type Edition = (typeof EDITIONS)[number]
export const COMMITMENTS = ['ANNUAL', 'THREE_YEAR'] as const
export type Commitment = (typeof COMMITMENTS)[number]

const price = z.number().min(0)
const share = z.number().min(0).max(1)
const positive = z.number().positive()

export const pricesSchema = z.strictObject({
  asOf: z.iso.date(),
  currency: z.literal('USD'),
  onDemandPerTiB: price,
  slotHour: z.strictObject({ STANDARD: price, ENTERPRISE: price, ENTERPRISE_PLUS: price }),
  commitment: z.strictObject({ ANNUAL: share, THREE_YEAR: share }),
  streamedPerGiB: price,
})
/** US dollars; assumptions.yaml and prices.yaml say what each figure is. */
export type Prices = z.infer<typeof pricesSchema>

export const assumptionsSchema = z.strictObject({
  asOf: z.iso.date(),
  slotMsPerGiB: z.strictObject({
    load: positive,
    groupKeys: positive,
    scan: positive,
    window: positive,
    antiJoin: positive,
    merge: positive,
  }),
  slotsOffBy: z.number().min(1),
  deduplicateBy: z.enum(['window', 'antiJoin']),
  fixedSeconds: z.number().min(0),
  utilisation: share.positive(),
  variableBytes: z.number().min(0),
  runsADay: positive,
  changedShare: share,
  changedPartitionShare: share,
  fallBackAbove: share,
  appliesARun: positive,
  streamBytesASecond: positive,
  warnAt: share.positive(),
})
export type Assumptions = z.infer<typeof assumptionsSchema>

type Tree = Readonly<Record<string, unknown>>
const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function lay(over: Tree, base: Tree): Tree {
  const laid = Object.entries(over).map(([name, value]) => {
    const below = base[name]
    return [name, isTree(value) && isTree(below) ? lay(value, below) : value]
  })
  return { ...base, ...Object.fromEntries(laid) }
}

/** Texts of YAML files, the basis first; each later one needs only what differs. Throws with every problem in one error. */
export function parseRates<T>(schema: z.ZodType<T>, texts: readonly string[]): T {
  const trees = texts.map((text): unknown => parse(text) ?? {})
  const merged = trees.reduce<Tree>((base, over) => {
    if (!isTree(over)) throw new Error('it is no list of names and figures')
    return lay(over, base)
  }, {})
  const checked = schema.safeParse(merged)
  if (checked.success) return checked.data
  const problems = checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new Error(problems.join('; '))
}
