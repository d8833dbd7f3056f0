import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { defaultPayloadConverter } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { TimelineEntry } from '../../../contract/server/timeline.ts';
import type { RunEvent } from '../../../server/runs/run-events.ts';
import { readRunEvent } from '../../../server/runs/read-history.ts';
import { buildTimeline } from '../../../server/runs/timeline.ts';

async function recordedEvents(name: string): Promise<RunEvent[]> {
  const packed = await readFile(new URL(`../../histories/0.1.0/${name}.bin.gz`, import.meta.url));
  const { events } = temporal.api.history.v1.History.decode(gunzipSync(packed));
  const decode = async (payload: Parameters<Parameters<typeof readRunEvent>[2]>[0]) =>
    payload ? defaultPayloadConverter.fromPayload(payload) : undefined;
  const read = await Promise.all(events.map((event) => readRunEvent(event, '0:', decode)));
  return read.filter((event) => event !== undefined);
}

async function recordedTimeline(name: string): Promise<TimelineEntry[]> {
  return buildTimeline(await recordedEvents(name));
}

/** Entries without their times, which differ in each recording. */
function inShort(entries: readonly TimelineEntry[]): string[] {
  return entries.map((entry) => {
    switch (entry.kind) {
      case 'queued':
        return `queued ${entry.step} ${entry.attempt}`;
      case 'attempt':
        return `attempt ${entry.step} ${entry.attempt} ${entry.outcome ?? 'open'}${entry.error === undefined ? '' : ` ${entry.error.type}`}`;
      case 'phase':
        return `phase ${entry.phase}`;
      case 'wait':
        return `wait ${entry.unreached ?? entry.reason} ${entry.seconds}`;
    }
  });
}

test('orders each attempt between its queueing and the wait after it, with the reason', async () => {
  const timeline = await recordedTimeline('encode-busy');
  expect(inShort(timeline)).toEqual([
    'queued encode 1',
    'attempt encode 1 failed RateLimited',
    'wait rate_limited 10',
    'queued encode 2',
    'attempt encode 2 failed ConnectionError',
    'wait connection_error 10',
    'queued encode 3',
    'attempt encode 3 failed ConnectionError',
    'wait source 20',
    'queued encode 4',
    'attempt encode 4 failed RateLimited',
    'wait rate_limited 61',
    'queued encode 5',
    'attempt encode 5 succeeded',
  ]);
  for (const entry of timeline) {
    expect(TimelineEntry.parse(entry)).toEqual(entry);
    expect(Date.parse(entry.to ?? '')).toBeGreaterThanOrEqual(Date.parse(entry.from));
    if (entry.kind === 'wait') expect(Date.parse(entry.to ?? '') - Date.parse(entry.until)).toBeLessThan(500);
  }
});

test.each([
  ['encode-failed', 'attempt encode 1 failed UndecodableSource'],
  ['encode-cancelled-waiting', 'wait rate_limited'],
  ['encode-followed', 'attempt encode 1 succeeded'],
  ['encode-job-failed', 'attempt encode 1 failed'],
  ['processing-retried', 'phase process'],
  ['processing-completed', 'phase assemble'],
  ['chunking-completed', 'attempt chunk 1 succeeded'],
])('the timeline of %s contains "%s"', async (name, part) => {
  const timeline = await recordedTimeline(name);
  expect(inShort(timeline).join('\n')).toContain(part);
  expect(timeline.filter(({ to }) => to === undefined)).toEqual([]);
});

test('an attempt that a cancelled run cut off is cancelled', async () => {
  const timeline = await recordedTimeline('encode-cancelled-at-work');
  expect(inShort(timeline)).toContainEqual(expect.stringMatching(/^attempt encode 1 cancelled/));
});

test('a running entry has no end', async () => {
  const events = await recordedEvents('encode-busy');
  const isFirstWait = ({ kind }: RunEvent) => kind === 'timer_started';
  const [queued, attempt, wait] = buildTimeline(events.slice(0, events.findIndex(isFirstWait) + 1));
  expect([queued?.to, attempt?.to, wait?.to].map((to) => typeof to)).toEqual(['string', 'string', 'undefined']);
});

test('phases follow one another within their attempt, and a late signal opens none', () => {
  const step = 'encode';
  const progress = (atMs: number, phase: string): RunEvent => ({ kind: 'progress', atMs, step, phase });
  const timeline = buildTimeline([
    { kind: 'activity_scheduled', atMs: 0, id: '1', activity: 'encode', step, attempt: 1 },
    { kind: 'activity_started', atMs: 1, id: '1' },
    { kind: 'activity_ended', atMs: 2, id: '1', outcome: { kind: 'completed', submission: 'accepted' } },
    { kind: 'activity_scheduled', atMs: 3, id: '2', activity: 'followJob', step, attempt: 1 },
    progress(4, 'download'),
    progress(5, 'download'),
    progress(6, 'encode'),
    progress(7, 'no such phase'),
    { kind: 'activity_started', atMs: 3, id: '2' },
    { kind: 'activity_ended', atMs: 8, id: '2', outcome: { kind: 'completed', submission: undefined } },
    progress(9, 'upload'),
  ]);
  expect(timeline.map(({ from, to }) => [Date.parse(from), Date.parse(to ?? '')])).toEqual([
    [0, 1],
    [1, 8],
    [4, 6],
    [6, 8],
  ]);
  expect(inShort(timeline)).toEqual([
    'queued encode 1',
    'attempt encode 1 succeeded',
    'phase download',
    'phase encode',
  ]);
});

test('keeps a step queued if the container does not take its job', () => {
  const step = 'encode';
  const timeline = buildTimeline([
    { kind: 'activity_scheduled', atMs: 0, id: '1', activity: 'encode', step, attempt: 1 },
    { kind: 'activity_started', atMs: 1, id: '1' },
    { kind: 'activity_ended', atMs: 2, id: '1', outcome: { kind: 'completed', submission: 'turned_away' } },
    { kind: 'activity_scheduled', atMs: 3, id: '2', activity: 'encode', step, attempt: 1 },
    { kind: 'activity_started', atMs: 5, id: '2' },
  ]);
  expect(
    timeline.map(({ kind, from, to }) => [kind, Date.parse(from), to === undefined ? undefined : Date.parse(to)]),
  ).toEqual([
    ['queued', 0, 5],
    ['attempt', 5, undefined],
  ]);
});

test('the error of an attempt of an older version does not show the address of its container', async () => {
  const message = 'The container at https://c1.internal is not trusted: its certificate has expired (CERT_HAS_EXPIRED)';
  const failure = { message, applicationFailureInfo: { type: 'ContainerUntrusted' } };
  const event = { activityTaskFailedEventAttributes: { scheduledEventId: 5, failure } } as never;
  expect(await readRunEvent(event, '0:', async () => undefined)).toMatchObject({
    outcome: { message: 'The container is not trusted: its certificate has expired (CERT_HAS_EXPIRED)' },
  });
});

test('a wait names the source or the store if that was unreachable, and not the container', () => {
  const step = 'encode';
  const failed = (id: string, atMs: number, code: string | undefined): RunEvent[] => [
    { kind: 'activity_scheduled', atMs, id, activity: 'encode', step, attempt: Number(id) },
    { kind: 'activity_started', atMs, id },
    { kind: 'activity_ended', atMs, id, outcome: { kind: 'failed', type: 'ConnectionError', message: '', code } },
    { kind: 'timer_started', atMs, id: `${id}-timer`, seconds: 10 },
  ];
  const timeline = buildTimeline([
    ...failed('1', 0, 'source_unavailable'),
    ...failed('2', 1, 'upload_failed'),
    ...failed('3', 2, undefined),
  ]);
  expect(inShort(timeline).filter((words) => words.startsWith('wait'))).toEqual([
    'wait source 10',
    'wait store 10',
    'wait connection_error 10',
  ]);
});
