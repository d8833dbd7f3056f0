import { afterEach, expect, test, vi } from 'vitest';
import type { RunReport } from '../../../cli/run/run-report.ts';
import { writeReports } from '../../../cli/run/write-reports.ts';

afterEach(() => vi.restoreAllMocks());

function errorsOf(states: readonly RunReport['state'][], isRepeatable: boolean): string {
  const reports = states.map((state, index): RunReport => {
    const source = `/home/ada/${index}.wav`;
    return { title: source, source, target: 'mp3_128', state, files: [] };
  });
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  writeReports(reports, { isSingle: false, json: false, startedAtMs: 0, userFolder: '/home/ada', isRepeatable });
  return written.mock.calls.map(([text]) => String(text)).join('');
}

test.each<[RunReport['state'][], boolean, boolean]>([
  [['succeeded', 'failed'], true, true],
  [['succeeded', 'skipped'], true, false],
  [['succeeded', 'failed'], false, false],
  [['succeeded', 'incomplete'], true, false],
  [['failed', 'undelivered'], true, false],
])('sources that ended %j, repeatable: %s, are repeated by --skip-existing: %s', (states, isRepeatable, isHinted) => {
  expect(errorsOf(states, isRepeatable).includes('--skip-existing')).toBe(isHinted);
});
