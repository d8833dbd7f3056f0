import { expect, test } from 'vitest';
import { formatRun } from '../../../cli/runs/format-run.ts';
import type { RunDetails } from '../../../client/run-details.ts';

const now = new Date(2026, 10, 24, 14, 10, 0);
const record: RunDetails['record'] = {
  workflowId: 'encode-talk-1',
  runId: 'r',
  workflowType: 'encode',
  taskQueue: 'holdfast',
  startedAt: new Date(2026, 10, 24, 14, 5, 0),
  historyEvents: 9,
};
const input = {
  sourceUrl: 'file:///gone/in/A%20talk.wav',
  outputs: [
    { format: 'mp3_128', uploadUrl: 's3://published/talk.mp3' },
    { format: 'flac', uploadUrl: 'file:///gone/out/A%20talk.flac' },
  ],
};

test('shows the source, outputs, times and failure of a run', () => {
  const failed: RunDetails = {
    record: { ...record, ending: 'failed', endedAt: new Date(2026, 10, 24, 14, 6, 5) },
    state: 'failed',
    input,
    failure: 'Gave up after 3 attempts.\nLast error: \u001b[31mrefused',
    counts: { attempts: 3, rateLimitHits: 1, connectionErrors: 1, elapsedSeconds: 60 },
  };
  expect(formatRun(failed, { now, address: 'http://ui/1' })).toBe(
    [
      'encode-talk-1',
      '  state     failed',
      '  source    A talk.wav (no longer in /gone/in)',
      '  output    s3://published/talk.mp3',
      '  output    A talk.flac (not made)',
      '  started   14:05:00',
      '  ended     14:06:05, after 1:05',
      '  attempts  3 (1 time busy, 1 connection error)',
      '  failure   Gave up after 3 attempts.',
      String.raw`            Last error: \x1b[31mrefused`,
      '  Web UI    http://ui/1',
    ].join('\n'),
  );
});

test.each([
  ['running', undefined, 'not made yet'],
  ['succeeded', record.endedAt ?? now, 'no longer in /gone/out'],
] as const)('shows what became of an output of a run that is %s', (state, endedAt, words) => {
  const { endedAt: _, ...open } = record;
  const run = { record: endedAt === undefined ? open : { ...open, endedAt }, state, input };
  expect(formatRun(run, { now, address: undefined })).toContain(`  output    A talk.flac (${words})\n`);
});

test('shows no secret of a signed URL', () => {
  const signed = { sourceUrl: 'https://user:pass@host/talk.wav?X-Amz-Signature=secret', outputs: [] };
  const text = formatRun({ record, state: 'running', input: signed }, { now, address: undefined });
  expect(text).toContain('  source    https://host/talk.wav\n');
  expect(text).not.toMatch(/secret|pass/);
});

test('shows a run whose input cannot be read', () => {
  const text = formatRun({ record, state: 'queued', input: undefined }, { now, address: undefined });
  expect(text).toContain('  state     queued\n');
  expect(text).toContain('  running   for 5:00');
});
