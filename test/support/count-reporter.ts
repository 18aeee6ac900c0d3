import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends the run with `N passed, N failed` alone on a line, counted from what
 * the runner itself reports: tests, plus modules that failed before a test ran.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly unknown[],
  ): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    let skipped = 0;
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        else if (state === 'skipped') skipped += 1;
        else failed += 1;
      }
    }
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    process.on('exit', () => {
      process.stdout.write(`${passed} passed, ${failed} failed${tail}\n`);
    });
  }
}
