import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores are the least we promise to run on; each worker may own a DuckDB and four servers.
    maxWorkers: 2,
  },
})
