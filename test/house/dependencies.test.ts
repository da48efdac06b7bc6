/** `dependencies` holds what functions/ imports, nothing else: it is what a deployment installs. */
import { isBuiltin } from 'node:module'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { importsOf, readRepoFile, readSourceFiles } from './source-files.ts'

/** `@scope/name/sub/path` → `@scope/name`. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function importedPackages(...folders: readonly string[]): string[] {
  const names = readSourceFiles(...folders).flatMap(importsOf)
  const ours = /^(functions|infra|local|cli|test|bench|workflows|feeds)\/|\.(json|ts)$/
  const outside = names.filter(name => !isBuiltin(name) && (name.startsWith('@') || !ours.test(name)))
  return [...new Set(outside.map(packageOf))].toSorted()
}

test('dependencies are exactly what functions/ imports', () => {
  expect(Object.keys(manifest.dependencies).toSorted()).toEqual(importedPackages('functions'))
})

test('everything that is imported anywhere is declared', () => {
  const declared = new Set([...Object.keys(manifest.dependencies), ...Object.keys(manifest.devDependencies)])
  const imported = importedPackages('functions', 'infra', 'local', 'cli', 'test', 'bench')
  expect(imported.filter(name => !declared.has(name))).toEqual([])
})

test('every version is exact', () => {
  const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
  const loose = versions.filter(([, version]) => !/^(npm:[^@]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
  expect(loose).toEqual([])
})

test('every package has its line in docs/dependencies.md', () => {
  const text = readRepoFile('docs/dependencies.md')
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  const silent = names.filter(
    name => !text.includes(name) && !text.includes(name.replace('@google-cloud/', '')),
  )
  expect(silent).toEqual([])
})
