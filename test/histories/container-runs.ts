import type { WorkflowHandle } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import {
  accepted,
  answer,
  busy,
  chunkResult,
  drop,
  encodedOutput,
  encodeResult,
  errorAnswer,
  failedView,
  jobView,
  metadataResult,
  ScriptedContainer,
  succeededView,
  type Script,
  type ScriptedReply,
} from '../fixtures/scripted-container.ts';
import { loopbackAllowed, WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { segmentStorage } from '../support/fake-stores.ts';
import type { TimeSkipping } from '../support/time-skipping.ts';
import type { Recorder } from './recorder.ts';

const ok = answer(200, encodeResult);
const place = { uploadUrlPrefix: 's3://media/out/' };
const sourceUrl = 'https://media.test/episode.wav';
const encodeInput = { sourceUrl, outputs: [{ format: 'mp3_128', uploadUrl: 'https://media.test/episode.mp3' }] };
const processingOutput = { ...encodedOutput, format: 'opus_24', channels: 1, sampleRate: 24_000 };
const speech = { ...encodeResult, outputs: [processingOutput] };

/** Replies in order; the last one repeats. */
function inTurn(...replies: ScriptedReply[]): Script {
  return (_, index) => replies[Math.min(index, replies.length - 1)] as ScriptedReply;
}

/** A job that is followed until `view` reports its end. */
function job(view: () => ScriptedReply): Script {
  return ({ method, path }) => {
    if (method === 'POST') return accepted;
    return path.endsWith('/events') ? errorAnswer(404, 'not_found') : view();
  };
}

function processingScript(chunk: Script): Script {
  return (request, index) => {
    if (request.path === '/encode') return answer(200, speech);
    return request.path === '/metadata' ? answer(200, metadataResult) : chunk(request, index);
  };
}

export interface Scenario {
  name: string;
  type?: string;
  script: Script;
  input?: object;
  /** Records the first webhook message too. */
  hasWebhook?: true;
  /** Replaces the workflows of this version. */
  workflowBundle?: { codePath: string };
  /** Most containers of a spread run when it asks for the first time, the second time, and so on; usually 16. */
  mostContainers?: (asked: number) => number;
  /** Acts on the run before its end is awaited. */
  meanwhile?: (handle: WorkflowHandle) => Promise<unknown>;
}

const retry = { maxRetryTime: 100, retryBuffer: 10 };
const cancelled = jobView(2, { state: 'cancelled', endedAt: 'now', error: { error: 'Cancelled.', code: 'cancelled' } });
let isDeleted = false;

/** Runs that need skipped minutes or hours. */
export const containerRuns: Scenario[] = [
  { name: 'encode-completed', script: inTurn(ok) },
  { name: 'encode-followed', script: job(() => answer(200, succeededView)) },
  { name: 'encode-busy', script: inTurn(busy(10), drop, errorAnswer(503, 'source_unavailable'), busy(61), ok) },
  { name: 'encode-failed', script: inTurn(errorAnswer(422, 'undecodable_source')) },
  { name: 'encode-job-failed', script: job(() => answer(200, failedView('output_invalid'))) },
  { name: 'encode-invalid', script: inTurn(ok), input: { sourceUrl: 'ftp://media.test/a.wav', outputs: [] } },
  { name: 'encode-exhausted', script: inTurn(busy(20)), input: { ...encodeInput, retry } },
  { name: 'encode-lost-job', script: lostJob(), input: { ...encodeInput, retry } },
  {
    name: 'encode-cancelled-waiting',
    script: inTurn(busy(600)),
    meanwhile: async (handle) => {
      await untilState(handle, 'waiting');
      await handle.cancel();
    },
  },
  {
    name: 'encode-cancelled-at-work',
    script: (request, index) => {
      isDeleted ||= request.method === 'DELETE';
      return job(() => answer(200, isDeleted ? cancelled : jobView(2)))(request, index);
    },
    meanwhile: async (handle) => {
      await untilState(handle, 'running');
      await handle.cancel();
    },
  },
  // The chain includes the first run with about 5,000 events.
  { name: 'encode-continued', script: inTurn(busy(1)), input: { ...encodeInput, retry: { maxRetryTime: 500 } } },
  {
    name: 'inspect-completed',
    type: 'inspectSource',
    script: inTurn(answer(200, metadataResult)),
    input: { sourceUrl },
  },
  {
    name: 'chunking-completed',
    type: 'chunking',
    script: ({ path }) => answer(200, path === '/metadata' ? metadataResult : chunkResult(3)),
    input: { sourceUrl, ...place },
  },
  {
    name: 'chunking-miscounted',
    type: 'chunking',
    script: ({ path }, index) => {
      if (path === '/metadata') return answer(200, metadataResult);
      if (index > 0) return answer(200, chunkResult(2));
      return errorAnswer(422, 'chunk_count_mismatch', { expected: 2, given: 3 });
    },
    input: { sourceUrl, ...place },
  },
  {
    name: 'chunking-failed',
    type: 'chunking',
    script: inTurn(errorAnswer(422, 'no_audio')),
    input: { sourceUrl, ...place },
  },
  {
    name: 'processing-cut',
    type: 'processing',
    script: processingScript(inTurn(busy(10), answer(200, chunkResult(3)))),
    input: { sourceUrl, ...place },
  },
  {
    name: 'processing-cut-failed',
    type: 'processing',
    script: processingScript(inTurn(errorAnswer(422, 'upload_refused'))),
    input: { sourceUrl, ...place },
  },
];

/** A run whose captions another run makes; `workflowBundle` holds the workflows of test/fixtures/workflows/transcribed.ts. */
export const captionedRun = (workflowBundle: { codePath: string }): Scenario => ({
  name: 'encode-captioned',
  script: inTurn(answer(200, { ...encodeResult, outputs: [{ ...encodedOutput, format: undefined }] })),
  input: {
    sourceUrl,
    outputs: [{ container: 'mp4', video: { codec: 'h264' }, captions: true, uploadUrl: 'https://media.test/film.mp4' }],
    transcript: { ...place, provider: 'test/model' },
  },
  workflowBundle,
});

const ownedInput = { ...encodeInput, owner: 'ana', priority: 2, fairnessKey: 'ana', fairnessWeight: 2 };

/** Runs of a few seconds that need a complete server. */
export const searchableContainerRuns: Scenario[] = [
  { name: 'encode-searchable', script: inTurn(busy(1), ok), input: ownedInput },
  { name: 'encode-searchable-failed', script: inTurn(errorAnswer(422, 'undecodable_source')), input: ownedInput },
  {
    name: 'encode-searchable-cancelled',
    script: inTurn(busy(600)),
    input: ownedInput,
    meanwhile: async (handle) => {
      await untilState(handle, 'waiting');
      await handle.cancel();
    },
  },
  {
    name: 'encode-moved',
    script: inTurn(busy(3), ok),
    input: ownedInput,
    meanwhile: async (handle) => {
      await untilState(handle, 'waiting');
      await handle.signal('set_priority', { priority: 1, moves: false });
    },
  },
  { name: 'encode-webhook', script: inTurn(busy(1), ok), input: ownedInput, hasWebhook: true },
  {
    name: 'chunking-searchable',
    type: 'chunking',
    script: ({ path }) => answer(200, path === '/metadata' ? metadataResult : chunkResult(3)),
    input: { sourceUrl, ...place },
  },
  {
    name: 'processing-searchable',
    type: 'processing',
    script: processingScript(inTurn(answer(200, chunkResult(3)))),
    input: { sourceUrl, ...place },
  },
];

/** A job that its container loses after one attempt, so that another job is started. */
function lostJob(): Script {
  let posts = 0;
  return ({ method, path }) => {
    if (method === 'POST') return (posts += 1) === 1 ? accepted : ok;
    if (path.endsWith('/events') || method === 'DELETE') return errorAnswer(404, 'not_found');
    return posts === 1 ? errorAnswer(404, 'not_found') : answer(200, succeededView);
  };
}

/** What workers need for spread runs. */
function spreadDependencies(mostContainers: (asked: number) => number) {
  let asked = 0;
  const spread = {
    ...{ leastSeconds: 300, store: 's3://parts/' },
    get mostContainers() {
      return mostContainers((asked += 1));
    },
  };
  return { storage: segmentStorage(), spread };
}

async function untilState(handle: WorkflowHandle, state: WorkflowStatus['state']): Promise<void> {
  while ((await handle.query<WorkflowStatus>('status')).state !== state) await delay(50);
}

export async function recordContainerRuns(
  time: TimeSkipping,
  recorder: Recorder,
  scenarios: Scenario[],
): Promise<void> {
  const { client } = time.environment;
  const receiver = await WebhookReceiver.start();
  receiver.answer = (response, count) =>
    count === 1 ? response.writeHead(503, { 'retry-after': '1' }).end() : response.writeHead(204).end();
  const webhook = { url: receiver.url, secret: 'acme' };
  const bound = { origins: new Set([new URL(receiver.url).origin]), owners: new Set([ownedInput.owner]) };
  for (const scenario of scenarios) {
    const { name, type = 'encode', script, input = encodeInput, meanwhile, hasWebhook, workflowBundle } = scenario;
    const { mostContainers = () => 16 } = scenario;
    const container = await ScriptedContainer.start(script);
    await time.withWorkers(
      [container.url],
      async (taskQueue) => {
        const handle = await time.start(type, { ...input, ...(hasWebhook && { webhook }) }, taskQueue);
        await meanwhile?.(handle);
        await handle.result().catch(() => undefined);
        await recorder.recordChain(name, client, handle.workflowId);
        if (hasWebhook === undefined) return;
        const { events = [] } = await handle.fetchHistory();
        const [messageId = ''] = (events ?? []).flatMap(
          ({ startChildWorkflowExecutionInitiatedEventAttributes: started }) => started?.workflowId ?? [],
        );
        await client.workflow.getHandle(messageId).result();
        await recorder.recordChain('webhook-delivered', client, messageId);
      },
      {
        webhooks: { secrets: new Map([['ACME', { value: [webhookSecret], ...bound }]]), allowed: loopbackAllowed },
        ...spreadDependencies(mostContainers),
      },
      workflowBundle,
    );
    await container.stop();
  }
  await receiver.stop();
}

const webhookSecret = `whsec_${Buffer.alloc(32).toString('base64')}`;
