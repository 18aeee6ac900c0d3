import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/lockdown.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/support/count-reporter.ts'],
    coverage: {
      provider: 'v8',
      include: ['src/**', 'providers/**', 'daemon/**', 'cli/**', 'setup/**'],
    },
  },
});
