/** Puts the findings of the schema library into words that the author of a feed understands. */
import type { z } from 'zod'
import type { Finding } from './finding.ts'

type Issue = z.core.$ZodIssue

/** Zod reports one union with many branches; the branch that got furthest speaks of what was meant. */
function flatten(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const depth = (branch: Issue[]) =>
    Math.max(...branch.map(inner => inner.path.length + (inner.code === 'unrecognized_keys' ? 1 : 0)))
  // A value of the branch's own kind was meant for that branch, whatever else is wrong with it.
  const fits = (branch: Issue[]) =>
    !branch.some(({ code, path }) => code === 'invalid_type' && path.length === 0)
  const rank = (branch: Issue[]) => depth(branch) + (fits(branch) ? 0.5 : 0)
  const best = issue.errors.toSorted((a, b) => rank(b) - rank(a))[0] ?? []
  return best.flatMap(inner => flatten({ ...inner, path: [...issue.path, ...inner.path] }))
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  object: 'a map',
  record: 'a map',
  array: 'a list',
}

function nameOf(value: unknown): string {
  if (value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  return NOUNS[typeof value] ?? typeof value
}

function describe(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `is ${nameOf(issue.input)}, and has to be ${NOUNS[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `is not ${issue.values.join(' or ')}`
    case 'too_small':
      return 'is empty'
    case 'too_big':
      return `has more than ${issue.maximum} ${issue.origin === 'array' ? 'entries' : 'characters'}`
    default:
      return issue.message
  }
}

function explainOne(issue: Issue, reference: string): Finding[] {
  const path = issue.path.filter(part => typeof part !== 'symbol')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => ({
      path: [...path, key],
      message: 'is not a setting of a feed',
      hint: 'Take it out, or correct its name.',
    }))
  }
  const missing = issue.input === undefined && issue.code !== 'custom'
  if (missing) return [{ path, message: 'is missing', hint: `Add it; ${reference} lists what it can be.` }]
  return [{ path, message: describe(issue), hint: `${reference} lists what it can be.` }]
}

/** One issue of `feedSchema` (parsed with `reportInput`) as what the author has to mend. */
export function explain(issue: Issue, reference = 'docs/feeds.md'): Finding[] {
  return flatten(issue).flatMap(one => explainOne(one, reference))
}
