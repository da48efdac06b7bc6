/** Unpacks the deployed archive into an empty folder and starts its functions as the platform does. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Bundle, readBundle } from '../../../infra/pipeline/bundle.ts'
import { ROOT } from '../run-program.ts'

const PATH = `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`

/** What the buildpack does: unpack, `npm ci` without what is for development, look at the file that is `main`. */
export async function unpackArchive(folder: string, feeds: string): Promise<Bundle> {
  const bundle = readBundle(ROOT, feeds)
  for (const [path, text] of bundle) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const run = promisify(execFile)
  const env = { ...process.env, PATH, NODE_ENV: 'production' }
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']
  await run('npm', ['ci', '--omit=dev', ...quiet], { cwd: folder, env })
  await run('node', ['--check', 'functions/main.ts'], { cwd: folder, env })
  return bundle
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

/** Whether something listens; a request would already be a call of the function. */
const answers = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('close', () => socket.destroy())
    socket.on('connect', () => socket.end())
  })

export interface RunningFunction {
  readonly url: string
  /** What it has written to standard output, line by line. */
  lines(): readonly string[]
  stop(): void
}

/** Resolves when the function answers. */
export async function startFunction(
  folder: string,
  target: string,
  env: Readonly<Record<string, string>>,
): Promise<RunningFunction> {
  const port = await freePort()
  const { HOME = '' } = process.env
  const child: ChildProcess = spawn(join(folder, 'node_modules/.bin/functions-framework'), [], {
    cwd: folder,
    env: { PATH, HOME, ...env, FUNCTION_TARGET: target, PORT: String(port) },
  })
  let written = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      written += chunk.toString('utf8')
    })
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; ; tries += 1) {
    const up = await answers(port)
    if (up) break
    if (child.exitCode !== null || tries > 600) throw new Error(`${target} did not start:\n${written}`)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  return { url, lines: () => written.split('\n'), stop: () => child.kill() }
}
