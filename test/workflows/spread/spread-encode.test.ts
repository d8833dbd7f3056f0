import { ApplicationFailure, WorkflowFailedError } from '@temporalio/client';
import { afterEach, expect, test } from 'vitest';
import type { EncodePart } from '../../../contract/http/part.ts';
import { isRecord } from '../../../contract/unknown-values.ts';
import type { WorkflowStatus } from '../../../contract/workflow/status.ts';
import {
  accepted,
  answer,
  busy,
  drop,
  encodedOutput,
  errorAnswer,
  jobView,
  type Script,
  ScriptedContainer,
  type ScriptedReply,
  type ScriptedRequest,
} from '../../fixtures/scripted-container.ts';
import { segmentStorage } from '../../support/fake-stores.ts';
import { identity, madeSound, partResult, resultOfPart, sha256 } from '../../support/part-results.ts';
import { growHistory } from '../../support/processing-runs.ts';
import { encodeInput, useInstantAttempts } from '../../support/scripted-runs.ts';
import { TimeSkipping } from '../../support/time-skipping.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

let container: ScriptedContainer | undefined;
useInstantAttempts();

const time = await stopAfterAll(TimeSkipping.start());
afterEach(async () => {
  await container?.stop();
  container = undefined;
});

const last = { from: 1000, to: 1250 };
const segments = [{ from: 0, to: 500 }, { from: 500, to: 1000 }, last];
const usualReply = (part: EncodePart | undefined): ScriptedReply => answer(200, resultOfPart(part, segments));

interface Ended {
  handle: Awaited<ReturnType<TimeSkipping['start']>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests compare it field by field
  result?: any;
  failure?: ApplicationFailure;
  status: WorkflowStatus;
  /** Kinds of the parts that the container was asked for, in order. */
  kinds: string[];
  counts: Map<string, number>;
  removed: string[];
  log: string[];
}

type Replies = (part: EncodePart | undefined, count: number) => ScriptedReply | undefined;

const spread = { containers: 2, segmentSeconds: 20 };

/**
 * Runs an encode with these replies, which replace the usual ones; `count` counts the requests for the same part.
 * `replyOfJob` answers the requests for a job by its id. `meanwhile` happens while the run waits for its result.
 */
async function run(
  replies: Replies = () => undefined,
  input: object = { spread },
  store: object = { store: 's3://parts/' },
  replyOfJob: Script = () => errorAnswer(404, 'not_found'),
  meanwhile?: (handle: Ended['handle']) => Promise<void>,
) {
  const counts = new Map<string, number>();
  const removed: string[] = [];
  const partOf = ({ body }: ScriptedRequest): EncodePart | undefined => body.part;
  container = await ScriptedContainer.start((request, index) => {
    if (request.path !== '/encode') return replyOfJob(request, index);
    const part = partOf(request);
    const key = part === undefined ? 'whole' : part.kind === 'segment' ? `segment ${part.from}` : part.kind;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return replies(part, count) ?? usualReply(part);
  });
  const inTime = async (taskQueue: string): Promise<Ended> => {
    const handle = await time.start('encode', { ...encodeInput, ...input }, taskQueue);
    const ending: Promise<Pick<Ended, 'result' | 'failure'>> = handle.result().then(
      (result: unknown) => ({ result }),
      (error: unknown) => {
        if (!(error instanceof WorkflowFailedError && error.cause instanceof ApplicationFailure)) throw error;
        return { failure: error.cause };
      },
    );
    const [ended] = await Promise.all([ending, meanwhile?.(handle)]);
    const status = await handle.query<WorkflowStatus>('status');
    const kinds = (container?.requestsTo('POST', '/encode') ?? []).map((one) => partOf(one)?.kind ?? 'whole');
    return { handle, status, kinds, counts, removed, log: time.workflowLog(handle.workflowId), ...ended };
  };
  const limits = { mostContainers: 16, leastSeconds: 300, ...store };
  return await time.withWorkers([container.url], inTime, { storage: segmentStorage(removed), spread: limits });
}

/** Gives `reply` to one segment. Segments after it get none, so that the run cancels them. */
function failAt(from: number, part: EncodePart | undefined, reply: ScriptedReply): ScriptedReply | undefined {
  if (part?.kind !== 'segment' || part.from < from) return undefined;
  return part.from === from ? reply : { kind: 'hang' };
}

const names = ['00000', '00001', '00002'];

test('plans, encodes each segment, joins them, and removes their files', async () => {
  const { result, status, kinds, removed, handle } = await run();
  expect(kinds).toEqual(['plan', 'segment', 'segment', 'segment', 'join']);
  expect(result).toMatchObject({ spread: { segments: 3 }, attempts: 5, outputs: [encodedOutput] });
  expect(status).toMatchObject({ state: 'done', spread: { segments: 3, done: 3, running: 0, waiting: 0 }, steps: [] });
  const runId = handle.firstExecutionRunId;
  const place = /^.*-segment-/.exec(removed[0] ?? '')?.[0] ?? '';
  expect(place).toMatch(new RegExp(`^s3://parts/${runId}-[0-9a-f-]{36}-segment-$`));
  expect(removed.toSorted()).toEqual(names.map((name) => `${place}${name}-film-0.mp4`));
  const [plan, first, , , join] = container?.requestsTo('POST', '/encode') ?? [];
  expect(plan?.body).toMatchObject({
    part: { kind: 'plan', leastSeconds: 0, segments: 6, segmentSeconds: { least: 20, most: 20 } },
    outputs: [{ format: 'mp3_128', deliver: 'on_demand' }],
  });
  expect(first?.body.part).toEqual({ kind: 'segment', from: 0, to: 500, source: identity });
  expect(join?.body.outputs).toEqual(encodeInput.outputs);
  expect(join?.body.part.source).toEqual(identity);
  expect(join?.body.part.segments).toEqual(
    names.map((name) => [{ url: `https://s3.test/${place.slice(5)}${name}-film-0.mp4?X-Amz-get`, sha256 }]),
  );
});

test('counts the jobs of all parts in the usage of the run', async () => {
  const usage = { seconds: 2, cpuSeconds: 1.5, bytesIn: 100, bytesOut: 10 };
  const { handle } = await run((part) => {
    const reply = usualReply(part);
    return 'status' in reply && isRecord(reply.body) ? answer(reply.status, { ...reply.body, usage }) : undefined;
  });
  const { memo } = await handle.describe();
  expect(memo?.['usage']).toEqual({ jobs: 5, seconds: 10, cpuSeconds: 7.5, bytesIn: 500, bytesOut: 50 });
});

test('encodes in one piece if the plan says so, and reports the reason', async () => {
  const { result, kinds, removed } = await run((part) =>
    part?.kind === 'plan' ? answer(200, partResult({ kind: 'whole', reason: 'its pictures fade' })) : undefined,
  );
  expect(kinds).toEqual(['plan', 'whole']);
  expect(result).toMatchObject({ spread: { segments: 1, reason: 'its pictures fade' }, attempts: 2 });
  expect(removed).toEqual([]);
});

test('“auto” encodes in one piece beside a single container', async () => {
  const { result, kinds } = await run(undefined, { spread: 'auto' });
  expect(kinds).toEqual(['whole']);
  expect(result).toMatchObject({ spread: { segments: 1, reason: 'fewer than two containers are available' } });
});

test('fails as SpreadNotConfigured if the workers have no store for segments', async () => {
  const { failure, kinds } = await run(undefined, { spread }, {});
  expect(failure).toMatchObject({ type: 'SpreadNotConfigured' });
  expect(failure?.message).toContain('SEGMENT_STORE_URL');
  expect(kinds).toEqual([]);
});

test('a segment of a lost container is repeated alone, after the usual wait', async () => {
  const { result, counts, log } = await run((part, count) =>
    part?.kind === 'segment' && part.from === 500 && count < 2 ? errorAnswer(502, 'source_unavailable') : undefined,
  );
  expect(result).toMatchObject({ spread: { segments: 3 }, connectionErrors: 2, elapsedSeconds: 30 });
  expect(Object.fromEntries(counts)).toEqual({ plan: 1, 'segment 0': 1, 'segment 500': 3, 'segment 1000': 1, join: 1 });
  expect(log).toContain('Encoding attempt 3 for segment 2 of 3 of format mp3_128 (30s elapsed)');
});

test('a broken source fails the run at its segment, and all segments are removed', async () => {
  const { failure, kinds, removed } = await run((part) => failAt(500, part, errorAnswer(422, 'source_truncated')));
  expect(failure).toMatchObject({ type: 'SourceTruncated' });
  expect(kinds).not.toContain('join');
  expect(removed).toHaveLength(3);
});

const failuresOfJoin = [
  'segment_mismatch',
  'output_invalid',
  'invalid_request',
  'source_not_found',
  'checksum_mismatch',
];
test.each([...failuresOfJoin, 'request_too_large'])(
  'a join that ends as %s encodes the film in one piece',
  async (code) => {
    const { result, kinds, removed, status } = await run((part) =>
      part?.kind === 'join' ? errorAnswer(422, code) : undefined,
    );
    expect(status).toMatchObject({ state: 'done', percent: 100 });
    expect(status.spread).toBeUndefined();
    expect(kinds).toEqual(['plan', 'segment', 'segment', 'segment', 'join', 'whole']);
    expect(result.spread).toEqual({ segments: 1, reason: expect.stringContaining(code) });
    expect(removed).toHaveLength(3);
  },
);

test.each(['upload_refused', 'upload_forbidden'])(
  'one container encodes the film if the store of the segments answers %s',
  async (code) => {
    const { result, kinds, removed } = await run((part) => failAt(500, part, errorAnswer(422, code)));
    expect(kinds.at(-1)).toBe('whole');
    const reason = expect.stringMatching(/^The store of the segments is not usable\. /);
    expect(result.spread).toEqual({ segments: 1, reason });
    expect(removed).toHaveLength(3);
  },
);

test('one container encodes the film if the store of the segments is full until the budget is used up', async () => {
  const { result, kinds, removed } = await run(
    (part) =>
      part?.kind === 'segment' && part.from === 500 ? errorAnswer(502, 'upload_failed', { status: 507 }) : undefined,
    { spread, retry: { maxRetryTime: 100, retryBuffer: 10 } },
  );
  expect(kinds.at(-1)).toBe('whole');
  expect(result.spread).toEqual({
    segments: 1,
    reason: expect.stringMatching(/^The store of the segments is not usable\. Gave up after 4 attempts in 70 s/),
  });
  expect(removed).toHaveLength(3);
});

test('a store that refuses the result fails the run, which is not encoded again', async () => {
  const { failure, kinds } = await run((part) =>
    part?.kind === 'join' ? errorAnswer(422, 'upload_refused') : undefined,
  );
  expect(failure).toMatchObject({ type: 'UploadRefused' });
  expect(kinds).not.toContain('whole');
});

test('another container gets the segment that a container with other encoders has refused', async () => {
  const { result, counts, log } = await run((part, count) =>
    part?.kind === 'segment' && part.from === 500 && count < 2 ? errorAnswer(409, 'other_encoder') : undefined,
  );
  expect(result.spread).toEqual({ segments: 3 });
  expect(counts.get('segment 500')).toBe(3);
  expect(log.join('\n')).toMatch(/other encoders refused segment 2 of 3.*again in 5s[^]*again in 10s/);
});

test('a segment that a container with other encoders refuses waits for the containers that are busy', async () => {
  const { result, counts } = await run((part, count) => {
    if (part?.kind !== 'segment') return undefined;
    if (part.from === 0 && count < 40) return busy(10);
    return part.from === 500 && count < 7 ? errorAnswer(409, 'other_encoder') : undefined;
  });
  expect(result.spread).toEqual({ segments: 3 });
  expect([counts.get('segment 0'), counts.get('segment 500'), counts.get('whole')]).toEqual([41, 8, undefined]);
});

test.each([
  ['that are left', undefined],
  ['of which a run may use fewer', 2],
])('a container with other encoders that vanishes takes no further segment from those %s', async (_, most) => {
  const six = [0, 500, 1000, 1500, 2000, 2500].map((from) => ({ from, to: from + 500 }));
  const counts = new Map<number, number>();
  const waiting = new Set<number>();
  let mostWaiting = 0;
  let containers = 3;
  const script: Script = ({ body: { part } }) => {
    if (part?.kind !== 'segment') return answer(200, resultOfPart(part, six));
    const from = Number(part.from);
    const count = counts.get(from) ?? 0;
    counts.set(from, count + 1);
    // The first segment is refused until its lane ends. Others are under way until then.
    if (from === 0 && count < 7) return errorAnswer(409, 'other_encoder');
    const isRefused = (counts.get(0) ?? 0) >= 7;
    if (!isRefused) return busy(60);
    containers = 2;
    if (from !== 500 && from !== 1000) {
      waiting.add(from);
      mostWaiting = Math.max(mostWaiting, waiting.size);
      if (count < 3) return busy(60);
      waiting.delete(from);
    }
    return answer(200, resultOfPart(part, six));
  };
  container = await ScriptedContainer.start(script);
  const spread = {
    ...{ leastSeconds: 300, store: 's3://parts/' },
    get mostContainers() {
      return most ?? containers;
    },
    get containers() {
      return most === undefined ? undefined : containers;
    },
  };
  const input = { ...encodeInput, spread: { containers: 8, segmentSeconds: 20 } };
  const inTime = async (taskQueue: string): Promise<unknown> =>
    await (await time.start('encode', input, taskQueue)).result();
  const result = await time.withWorkers([container.url], inTime, { storage: segmentStorage(), spread });
  expect(result).toMatchObject({ spread: { segments: 6 } });
  expect(mostWaiting).toBe(2);
});

test('one container encodes the film if only containers with other encoders are left', async () => {
  const { result, counts, removed } = await run((part) =>
    part?.kind === 'segment' && part.from === 500 ? errorAnswer(409, 'other_encoder') : undefined,
  );
  expect(result.spread).toEqual({ segments: 1, reason: expect.stringContaining('other_encoder') });
  expect([counts.get('segment 500'), counts.get('join'), counts.get('whole')]).toEqual([7, undefined, 1]);
  expect(removed).toHaveLength(3);
});

test('gives each segment the findings of the plan, and the join the rate factors', async () => {
  const found = {
    ...{ opening: { digest: sha256, scan: { kind: 'progressive' } }, encoder: 'one' },
    ...{ inputsSha256: sha256, crfs: [27] },
  };
  await run((part) =>
    part?.kind === 'plan' ? answer(200, partResult({ kind: 'plan', segments, films: 1, ...found })) : undefined,
  );
  const parts = (container?.requestsTo('POST', '/encode') ?? []).map(({ body }) => body.part);
  expect(parts.filter(({ kind }) => kind === 'segment')).toMatchObject([found, found, found]);
  expect(parts.at(-1)).toMatchObject({ kind: 'join', crfs: [27] });
});

test('gives the join what each segment says about its sound', async () => {
  const soundOf = (cut: number) => ({
    ...{ file: 0, cut, runIn: 0, samples: 100, isMended: false },
    ...{ seams: { exact: 1, matched: 0 }, seamFrames: [7] },
  });
  const { result } = await run((part) => {
    if (part?.kind !== 'segment') return undefined;
    const file = { name: 'film-0.mp4', size: 10, sha256, frames: part.to - part.from, sound: soundOf(part.from) };
    return answer(200, partResult({ kind: 'segment', files: [file] }));
  });
  expect(result.spread).toEqual({ segments: 3 });
  const { segments: joined } = container?.requestsTo('POST', '/encode').at(-1)?.body.part ?? {};
  expect(joined).toMatchObject([0, 500, 1000].map((from) => [{ sha256, sound: soundOf(from) }]));
});

const withSound: Replies = (part) =>
  part?.kind === 'plan' ? answer(200, resultOfPart(part, segments, { sounds: 1 })) : undefined;

test('encodes the sound beside the segments, gives it to the join, and removes it', async () => {
  const { result, kinds, removed, status } = await run(withSound);
  expect(kinds.toSorted()).toEqual(['join', 'plan', 'segment', 'segment', 'segment', 'sound']);
  expect(kinds.slice(1, 3).toSorted()).toEqual(['segment', 'sound']);
  expect(result).toMatchObject({ spread: { segments: 3 }, attempts: 6 });
  expect(status).toMatchObject({ state: 'done', spread: { segments: 3, done: 3 } });
  const requests = container?.requestsTo('POST', '/encode').map(({ body }) => body.part) ?? [];
  expect(requests.find(({ kind }) => kind === 'sound')).toEqual({ kind: 'sound', source: identity });
  const place = removed.find((url) => url.endsWith('-sound-output-0'));
  const url = `https://s3.test/${place?.slice('s3://'.length)}?X-Amz-get`;
  expect(requests.at(-1).sounds).toEqual([{ url, sha256, made: madeSound }]);
});

test.each(['invalid_request', 'checksum_mismatch'])('the join makes the sound if its step ends as %s', async (code) => {
  const { result, counts } = await run((part, count) =>
    part?.kind === 'sound' ? errorAnswer(422, code) : withSound(part, count),
  );
  expect(result).toMatchObject({ spread: { segments: 3 } });
  expect(counts.get('whole')).toBeUndefined();
  expect(container?.requestsTo('POST', '/encode').at(-1)?.body.part.sounds).toBeUndefined();
});

test('the join gets no sound if all sound of the source ends before the outputs begin', async () => {
  const { result, counts } = await run((part, count) =>
    part?.kind === 'sound' ? answer(200, partResult({ kind: 'sound', files: [] })) : withSound(part, count),
  );
  expect(result).toMatchObject({ spread: { segments: 3 } });
  expect(counts.get('sound')).toBe(1);
  expect(container?.requestsTo('POST', '/encode').at(-1)?.body.part.sounds).toBeUndefined();
});

test('a source whose sound is broken fails the run', async () => {
  const { failure, kinds, removed } = await run((part, count) => {
    if (part?.kind === 'sound') return errorAnswer(422, 'source_truncated');
    return part?.kind === 'segment' ? { kind: 'hang' } : withSound(part, count);
  });
  expect(failure).toMatchObject({ type: 'SourceTruncated' });
  expect(kinds).not.toContain('join');
  expect(removed).toHaveLength(4);
});

test('a source that has changed fails the run, and is not encoded again', async () => {
  const { failure, kinds } = await run((part) =>
    part?.kind === 'join' ? errorAnswer(422, 'source_changed') : undefined,
  );
  expect(failure).toMatchObject({ type: 'SourceChanged' });
  expect(kinds).not.toContain('whole');
});

test.each<[string, object]>([
  ['another number of pictures', { kind: 'segment', files: [{ name: 'film-0.mp4', size: 1, sha256, frames: 499 }] }],
  ['too few files', { kind: 'segment', files: [] }],
  ['another part', { kind: 'whole', reason: 'no' }],
])('a segment with %s ends the run as UnexpectedReply', async (_, part) => {
  const { failure } = await run((asked) => failAt(0, asked, answer(200, partResult(part))));
  expect(failure).toMatchObject({ type: 'UnexpectedReply' });
});

test('a run that continues as new repeats no finished segment, and joins the job that still runs', async () => {
  const cancelled = { success: false, error: 'It was cancelled.', code: 'cancelled' };
  let isContinued = false;
  let isCancelled = false;
  let busyReplies = 0;
  const { result, counts, handle } = await run(
    (part, count) => {
      if (part?.kind === 'sound' && !isContinued) return busy(1);
      if (part?.kind !== 'segment' || part.from === 0) return withSound(part, count);
      if (part.from === 500) {
        if (isContinued) return undefined;
        busyReplies += 1;
        return busy(1);
      }
      return count === 0 ? accepted : drop;
    },
    { spread: { ...spread, containers: 3 } },
    undefined,
    ({ method, path }) => {
      isCancelled ||= method === 'DELETE';
      if (isCancelled) return answer(200, jobView(1, { state: 'cancelled', error: cancelled }));
      if (!isContinued) return drop;
      const ended = { state: 'succeeded', result: resultOfPart({ kind: 'segment', source: {}, ...last }, segments) };
      return path === '/jobs/job-1' ? answer(200, jobView(1, ended)) : errorAnswer(404, 'not_found');
    },
    async (handle) => {
      await growHistory(handle, 4_000);
      await expect.poll(async () => (await handle.describe()).runId).not.toBe(handle.firstExecutionRunId);
      isContinued = true;
    },
  );
  const { plan, 'segment 1000': askedAgain = 0, sound = 0, ...others } = Object.fromEntries(counts);
  expect(result).toMatchObject({ spread: { segments: 3 }, rateLimitHits: busyReplies + sound - 1 });
  expect({ plan, ...others }).toEqual({ plan: 1, 'segment 0': 1, 'segment 500': busyReplies + 1, join: 1 });
  expect(container?.requestsTo('POST', '/encode').at(-1)?.body.part.sounds).toHaveLength(1);
  expect(askedAgain).toBeGreaterThan(1);
  expect(isCancelled).toBe(false);
  const { runId } = await handle.describe();
  expect(runId).not.toBe(handle.firstExecutionRunId);
});
