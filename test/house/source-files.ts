/** Reads our own source for the house tests: the files, and each one's syntax tree. */
import { globSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import ts from 'typescript'

const ROOT = join(import.meta.dirname, '../..')

export interface SourceFile {
  /** Path from the repository's root, with forward slashes. */
  readonly path: string
  readonly text: string
  readonly tree: ts.SourceFile
}

/** Every TypeScript file under the folders, in path order. */
export function readSourceFiles(...folders: readonly string[]): readonly SourceFile[] {
  const paths = folders.flatMap(folder => globSync(join(ROOT, folder, '**/*.ts')))
  return paths.toSorted().map(absolute => {
    const text = readFileSync(absolute, 'utf8')
    const path = relative(ROOT, absolute).split(sep).join('/')
    return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) }
  })
}

export function readRepoFile(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** What a file imports, relative specifiers resolved to paths from the root, and whether only types. */
export function importsOf(file: SourceFile): readonly string[] {
  const specifiers = ts.preProcessFile(file.text, true, true).importedFiles.map(found => found.fileName)
  return specifiers.map(name =>
    name.startsWith('.')
      ? relative(ROOT, join(ROOT, file.path, '..', name))
          .split(sep)
          .join('/')
      : name,
  )
}

/** Calls `visit` for every node of the tree, parents first. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  node.forEachChild(child => walk(child, visit))
}
