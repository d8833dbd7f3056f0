import type { WorkflowHandle } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import type { EncodePart } from '../../contract/http/part.ts';
import { answer, busy, errorAnswer, type Script, type ScriptedReply } from '../fixtures/scripted-container.ts';
import { resultOfPart } from '../support/part-results.ts';
import { encodeInput } from '../support/scripted-runs.ts';
import { type SegmentJob, SegmentJobs } from '../support/segment-jobs.ts';
import type { Scenario } from './container-runs.ts';

const input = { ...encodeInput, spread: { containers: 2, segmentSeconds: 20 } };

const segments = [0, 500, 1000].map((from) => ({ from, to: from + 500 }));

type Replies = (part: EncodePart, count: number) => ScriptedReply | undefined;

/** Ends each part at once. The replies replace some of the results; `count` counts the requests for the same part. */
function spreadRun(name: string, replies: Replies = () => undefined): Scenario {
  const counts = new Map<string, number>();
  const script: Script = ({ body }) => {
    const part: EncodePart | undefined = body.part;
    const key = JSON.stringify(part);
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return (part && replies(part, count)) ?? answer(200, resultOfPart(part, segments));
  };
  return { name, script, input };
}

/** Replies to the requests for the second segment. */
function ofSecond(reply: (count: number) => ScriptedReply | undefined): Replies {
  return (part, count) => (part.kind === 'segment' && part.from === 500 ? reply(count) : undefined);
}

/** Spread runs that need skipped minutes. */
export const spreadRuns: Scenario[] = [
  spreadRun('encode-spread'),
  spreadRun('encode-spread-sound', (part) =>
    part.kind === 'plan' ? answer(200, resultOfPart(part, segments, { sounds: 1 })) : undefined,
  ),
  // One container is there at first, and sixteen afterwards.
  { ...spreadRun('encode-spread-grown'), mostContainers: (asked) => (asked === 1 ? 1 : 16) },
  spreadRun(
    'encode-spread-busy',
    ofSecond((count) => (count < 2 ? busy(10) : undefined)),
  ),
  spreadRun(
    'encode-spread-refused',
    ofSecond(() => errorAnswer(409, 'other_encoder')),
  ),
  spreadRun('encode-spread-failed', (part) => {
    if (part.kind !== 'segment' || part.from === 0) return undefined;
    return part.from === 500 ? errorAnswer(422, 'source_truncated') : { kind: 'hang' };
  }),
  spreadRun('encode-spread-unplanned', ({ kind }) =>
    kind === 'plan' ? answer(200, { ...resultOfPart(undefined, segments), outputs: [], part: whole }) : undefined,
  ),
  // The chain includes the first run with about 5,000 events.
  spreadRun(
    'encode-spread-continued',
    ofSecond((count) => (count < 500 ? busy(1) : undefined)),
  ),
];

const whole = { kind: 'whole', reason: 'its pictures fade' };

/** A run whose last segment has two jobs, and what happens then. */
function copiedRun(
  name: string,
  act: (first: SegmentJob, second: SegmentJob, handle: WorkflowHandle) => Promise<void>,
): Scenario {
  const jobs = new SegmentJobs();
  const meanwhile = async (handle: WorkflowHandle): Promise<void> => {
    while (jobs.slowJobs.length < 2) await delay(50);
    const [first, second] = jobs.slowJobs;
    if (first !== undefined && second !== undefined) await act(first, second, handle);
  };
  return { name, script: jobs.script, input, meanwhile };
}

/** A run whose sound has two jobs, of which the second succeeds. */
function soundCopiedRun(name: string): Scenario {
  const jobs = new SegmentJobs({ sounds: 1 });
  const meanwhile = async (): Promise<void> => {
    while (jobs.soundJobs.length < 2) {
      for (const job of jobs.slowJobs) job.state = 'succeeded';
      await delay(50);
    }
    for (const job of jobs.soundJobs.slice(1)) job.state = 'succeeded';
  };
  return { name, script: jobs.script, input, meanwhile };
}

/** Spread runs of some seconds. The clock must not skip while their jobs run. */
export const copiedSpreadRuns: Scenario[] = [
  copiedRun('encode-spread-copied', async (_, second) => void (second.state = 'succeeded')),
  copiedRun('encode-spread-outrun', async (first) => void (first.state = 'succeeded')),
  copiedRun('encode-spread-cancelled', async (_, __, handle) => void (await handle.cancel())),
  soundCopiedRun('encode-spread-sound-copied'),
];
