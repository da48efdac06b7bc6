/** The import rules of docs/architecture.md: who may import whom, each failure in the rule's own words. */
import ts from 'typescript'
import { expect, test } from 'vitest'
import { importsOf, readSourceFiles, type SourceFile, walk } from './source-files.ts'

interface Rule {
  readonly folder: string
  readonly says: string
  readonly allows: RegExp
}

const PURE =
  'is pure: it imports only feed and plan types, errors, node:crypto, and the schema and YAML libraries.'
const RULES: readonly Rule[] = [
  {
    folder: 'functions/feed/',
    says: PURE,
    allows: /^(functions\/(feed\/|errors|fault)|node:crypto$|zod|yaml$)/,
  },
  {
    folder: 'functions/plan/',
    says: PURE,
    allows: /^(functions\/(feed\/|plan\/|errors|fault|names|message)|node:crypto$|zod)/,
  },
  {
    folder: 'functions/estimate/',
    says: 'is pure: it imports only feed types, the message, and the schema and YAML libraries.',
    allows: /^(functions\/(feed\/|estimate\/|errors|message)|zod|yaml$)/,
  },
  {
    folder: 'functions/handlers/',
    says: 'meets Google Cloud only through functions/gcp/ports.ts, and never reads the environment.',
    allows:
      /^(functions\/(feed|plan|cdc|heads|state|handlers)\/|functions\/(gcp\/[a-z-]*ports|(?!main)[a-z-]+)\.ts$|node:crypto$|zod|pino$)/,
  },
  {
    folder: 'functions/state/',
    says: 'reads and writes through functions/gcp/ports.ts only.',
    allows:
      /^(functions\/(feed\/|plan\/|state\/|cdc\/|gcp\/ports\.ts$|(?!main)[a-z-]+\.ts$)|node:crypto$|zod)/,
  },
  {
    folder: 'functions/serving/',
    says: 'meets BigQuery and Postgres only through functions/gcp/ports.ts.',
    allows:
      /^(functions\/(feed\/|plan\/|state\/|serving\/|gcp\/ports\.ts$|(?!main)[a-z-]+\.ts$)|node:crypto$)/,
  },
  {
    folder: 'functions/heads/',
    says: 'reads the heads of files out of bytes that it is given: no client, no plan, no handler.',
    allows:
      /^(functions\/(feed\/|heads\/|gcp\/ports\.ts$|(?!main)[a-z-]+\.ts$)|node:|hyparquet|csv-parse|zod)/,
  },
  {
    folder: 'functions/cdc/',
    says: 'turns bytes that it is given into appends: it meets Google Cloud through ports only.',
    allows: /^(functions\/(feed\/|cdc\/|gcp\/[a-z-]*ports\.ts$|errors\.ts$)|node:|csv-parse)/,
  },
  {
    folder: 'functions/gcp/',
    says: 'is thin: official clients, wire formats, feed and plan types, no plan logic and no handler.',
    allows:
      /^(functions\/(feed|plan|gcp)\/|functions\/(?!main)[a-z-]+\.ts$|node:|@google-cloud\/|@grpc\/grpc-js$|google-|(pino|zod|yaml|pg|pg-copy-streams)$)/,
  },
  {
    folder: 'functions/',
    says: 'is deployed alone: it imports nothing of ours from outside functions/.',
    allows: /^(functions\/|@|node:|(?!infra|local|cli|test|bench)[a-z])/,
  },
  {
    folder: 'infra/',
    says: 'knows names and feed files, never handlers or the embedded cloud.',
    allows: /^(infra\/|functions\/(names|feed\/|message)|@pulumi\/|@google-cloud\/pubsub$|zod$|node:)/,
  },
  {
    folder: 'cli/',
    says: 'enters the embedded cloud and the functions by their front doors.',
    allows: /^(?!local\/[a-z-]+\/|functions\/(handlers|gcp|cdc)\/|infra\/|test\/|bench\/)/,
  },
  ...['storage', 'bigquery', 'pubsub', 'workflows'].map(service => ({
    folder: `local/${service}/`,
    says: "knows no other service's folder, no functions/ and no infra/.",
    allows: new RegExp(`^(local/${service}/|local/[a-z-]+\\.ts$|(?!local/|functions/|infra/|cli/|test/))`),
  })),
  {
    folder: 'local/',
    says: 'stands for Google Cloud, so it knows nothing of Freshet.',
    allows: /^(?!functions\/|infra\/|cli\/|test\/|bench\/)/,
  },
]

test('imports keep to the rules', () => {
  const files = readSourceFiles('functions', 'infra', 'local', 'cli')
  const broken = files.flatMap(file =>
    importsOf(file).flatMap(name =>
      RULES.filter(rule => file.path.startsWith(rule.folder) && !rule.allows.test(name)).map(
        rule => `${file.path} imports ${name}, but ${rule.folder} ${rule.says}`,
      ),
    ),
  )
  expect(broken).toEqual([])
})

const IMPURE = new Set([
  'process',
  'console',
  'Date.now',
  'Math.random',
  'performance',
  'fetch',
  'setTimeout',
])

function impureNames(file: SourceFile): string[] {
  const names: string[] = []
  walk(file.tree, node => {
    if (ts.isIdentifier(node) && IMPURE.has(node.text) && ts.isPropertyAccessExpression(node.parent)) {
      if (node.parent.expression === node) names.push(node.text)
    }
    if (ts.isPropertyAccessExpression(node) && IMPURE.has(node.getText())) names.push(node.getText())
    if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length)
      names.push('new Date()')
    if (ts.isCallExpression(node) && IMPURE.has(node.expression.getText()))
      names.push(node.expression.getText())
  })
  return names
}

test('functions/feed, functions/plan and functions/estimate know no clock, random number, environment or console', () => {
  const files = readSourceFiles('functions/feed', 'functions/plan', 'functions/estimate')
  const broken = files.flatMap(file => impureNames(file).map(name => `${file.path} uses ${name}`))
  expect(broken).toEqual([])
})
