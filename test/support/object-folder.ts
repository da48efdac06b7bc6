/** Objects of Cloud Storage as plain files of a temporary folder: one sub-folder a bucket. */
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ObjectFile, ObjectFiles } from '../../local/service.ts'

export interface ObjectFolder extends ObjectFiles {
  put(bucket: string, name: string, content: string | Uint8Array): string
}

/** `put` answers the object's `gs://` URI. */
export function objectFolder(dir: string): ObjectFolder {
  const root = (bucket: string) => {
    const path = join(dir, bucket)
    if (!existsSync(path)) throw new Error(`no bucket ${bucket}`)
    return path
  }
  const file = (bucket: string, name: string): ObjectFile => {
    const path = join(root(bucket), name)
    return { bucket, name, generation: '1', size: statSync(path).size, path }
  }
  return {
    find: (bucket, name) => (existsSync(join(root(bucket), name)) ? file(bucket, name) : undefined),
    list(bucket, prefix) {
      const all = readdirSync(root(bucket), { recursive: true, withFileTypes: true })
      const names = all
        .filter(e => e.isFile())
        .map(e => join(e.parentPath, e.name).slice(root(bucket).length + 1))
      return names
        .filter(name => name.startsWith(prefix))
        .sort()
        .map(name => file(bucket, name))
    },
    put(bucket, name, content) {
      const path = join(dir, bucket, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
      return `gs://${bucket}/${name}`
    },
  }
}
