/** The tests that deploy to Google Cloud: never part of `npm test`, which would else cost money unasked. */
import { defineConfig } from 'vitest/config'

const HOUR = 3_600_000

export default defineConfig({
  test: { include: ['test/gcp/*.gcp.ts'], testTimeout: HOUR, hookTimeout: HOUR, reporters: ['verbose'] },
})
