/** Shows a stack so that a person can read it, and a change of it can be reviewed. */
import { stringify } from 'yaml'
import { type Registered, ROOT, type StackRun } from './run-program.ts'

const LONG = 400

/** Long texts have tests of their own; the archive's hash changes with every line of code. */
function shorten(value: unknown): unknown {
  if (typeof value === 'string') {
    if (value.length > LONG) return '(long text)'
    return value.replace(/functions-[0-9a-f]{16}\.zip/, 'functions-(hash).zip').replace(ROOT, '(root)')
  }
  if (Array.isArray(value)) return value.map(shorten)
  if (typeof value !== 'object' || value === null) return value
  if ('__pulumiAsset' in value || 'assets' in value) return '(archive)'
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, shorten(inner)]),
  )
}

const kindOf = ({ type }: Registered) => type.replace(/^(\w+):.*:(\w+)$/, '$1 $2')

/** APIs are listed in one line; everything else with its inputs, by kind and name. */
export function renderStack({ resources }: StackRun): string {
  const apis = resources.filter(({ type }) => type === 'gcp:projects/service:Service').map(({ name }) => name)
  const shown = resources
    .filter(({ type, custom }) => custom && type !== 'gcp:projects/service:Service')
    .toSorted((a, b) => (`${a.type} ${a.name}` < `${b.type} ${b.name}` ? -1 : 1))
    .map(one => {
      const inputs = stringify(shorten(one.inputs), { lineWidth: 110, aliasDuplicateObjects: false })
      const title = `${kindOf(one)}: ${one.name}`
      return inputs.trim() === '{}' ? `${title}\n` : `${title}\n${inputs.replace(/^(?=.)/gm, '  ')}`
    })
  return `APIs: ${apis.toSorted().join(', ')}\n\n${shown.join('\n')}`
}
