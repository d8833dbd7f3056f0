import type { Reporter, TestCase } from 'vitest/node';

/** Prints each failed test with its errors when it fails. Other reporters do so at the end, which an interrupted run never reaches. */
export default class FailuresAtOnce implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    if (result.state !== 'failed') return;
    const errors = result.errors.map(({ message, stack = '' }) => `${message}\n${stack}`);
    const lines = errors.flatMap((error) => error.split('\n')).filter((line) => !line.includes('node_modules'));
    console.log(`FAILED ${test.module.relativeModuleId} > ${test.fullName}`);
    for (const line of lines.slice(0, 12)) console.log(`  ${line.slice(0, 300)}`);
  }
}
