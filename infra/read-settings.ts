/** Reads the configuration of the stack that Pulumi runs. */
import * as pulumi from '@pulumi/pulumi'
import { parseSettings, SETTINGS, type Settings } from './settings.ts'

/** `pulumi config set` writes texts, `--path` and YAML write lists and maps: a text that holds one is read as one. */
function readValue(text: string): unknown {
  return /^\s*[[{]/.test(text) ? JSON.parse(text) : text
}

export function readSettings(): Settings {
  const config = new pulumi.Config('freshet')
  const raw = SETTINGS.flatMap(name => {
    const text = config.get(name)
    return text === undefined ? [] : [[name, readValue(text)] as const]
  })
  const project = new pulumi.Config('gcp').get('project')
  return parseSettings(Object.fromEntries(raw), { project, stack: pulumi.getStack() })
}
