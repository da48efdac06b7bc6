/** The entry of the Pulumi program: reads the stack's configuration and builds everything that `refresh` needs. */
import { join } from 'node:path'
import { makeProgram } from './program.ts'
import { readSettings } from './read-settings.ts'

export default () => makeProgram(readSettings(), join(import.meta.dirname, '..'))
