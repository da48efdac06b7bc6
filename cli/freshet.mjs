#!/usr/bin/env node
// The `freshet` command: runs main.ts on a Node that runs TypeScript, the one in node_modules when this one is older.
import { spawn } from 'node:child_process'
import module, { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Type stripping is stable from 24.12 on: https://nodejs.org/api/typescript.html
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const modern = major > 24 || (major === 24 && minor >= 12)

function packagedNode() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node')
  } catch {
    console.error(
      'freshet: Node 24.12 or later is needed, or the packaged one: run `npm ci` in this folder first.',
    )
    process.exit(1)
  }
}

if (modern) {
  // Keeps the types-free, compiled form of every file for the next start: a start takes half the time then.
  module.enableCompileCache()
  await import('./main.ts')
} else {
  const self = fileURLToPath(import.meta.url)
  const child = spawn(packagedNode(), [self, ...process.argv.slice(2)], { stdio: 'inherit' })
  // A terminal sends Ctrl-C to both, anyone else to this process alone: main.ts takes two in a row for one.
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => child.kill(name))
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
}
