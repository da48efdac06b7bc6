import { defineConfig } from 'vitest/config'

// Properties run from one seed, so that a red run is about the change at hand; SEED=any draws another one each time.
if (process.env.SEED === 'any') delete process.env.SEED
else process.env.SEED ??= '20261201'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores are the least we promise to run on; each worker may own a DuckDB and four servers.
    maxWorkers: 2,
  },
})
