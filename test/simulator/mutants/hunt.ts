/** Puts one deliberate fault in and looks for the first schedule that notices: `node hunt.ts NAME MOST [FROM]`. */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { MUTANTS, type Mutant } from './table.ts'

const ROOT = new URL('../../../', import.meta.url)

function mutate({ name, find, replace }: Mutant, text: string): string {
  const parts = text.split(find)
  if (parts.length === 2) return parts.join(replace)
  throw new Error(`"${name}" has to be written anew: its text stands ${parts.length - 1} times in the file`)
}

const [name, most = '300', from] = process.argv.slice(2)
const mutant = MUTANTS.find(each => each.name === name)
if (!mutant) throw new Error(`there is no mutant "${name}"`)
const file = new URL(mutant.file, ROOT).href
const isYaml = mutant.file.endsWith('.yaml')
if (!isYaml) {
  const source = mutate(mutant, readFileSync(fileURLToPath(file), 'utf8'))
  registerHooks({
    load: (url, context, next) =>
      url === file ? { format: 'module-typescript', source, shortCircuit: true } : next(url, context),
  })
}

const { readProgram, simulate } = await import('../simulate.ts')
const program = readProgram(isYaml ? source => mutate(mutant, source) : undefined)
const first = Number(from ?? mutant.from)
let answer: { seed: number; failure: string } | undefined
for (let seed = first; seed < first + Number(most) && !answer; seed += 1) {
  const { failure } = await simulate(seed, program, mutant.trouble)
  if (failure !== undefined) answer = { seed, failure }
}
process.stdout.write(`${JSON.stringify(answer ?? { seed: null })}\n`)
