import { type WorkflowHandle, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { jobProgressSignal } from '../../../contract/activity.ts';
import type { WebhookSettings } from '../../../activities/webhook/send-webhook.ts';
import type { WebhookMessage } from '../../../contract/workflow/webhook.ts';
import type { WorkflowStatus } from '../../../contract/workflow/status.ts';
import { answer, errorAnswer, jobView, ScriptedContainer } from '../../fixtures/scripted-container.ts';
import { loopbackAllowed, WebhookReceiver } from '../../fixtures/webhook-receiver.ts';
import { openStores } from '../../../stores/backends.ts';
import { RunHistory } from '../../support/history.ts';
import { freePort } from '../../support/ports.ts';
import { TimeSkipping } from '../../support/time-skipping.ts';
import { bundleFixture } from '../../support/workflow-fixtures.ts';
import { useFolder } from '../../support/folder.ts';
import { stopAfterAll, stopAfterTest } from '../../support/stop-after-all.ts';

const folder = useFolder();

const time = await stopAfterAll(TimeSkipping.start());
const workflowBundle = await bundleFixture('faulty', folder);
const container = await stopAfterAll(ScriptedContainer.start(() => errorAnswer(422, 'undecodable_source')));

const outputs = [{ format: 'flac', uploadUrl: 'https://media.test/a.flac' }];
const input = { sourceUrl: 'https://media.test/a.wav', outputs };

interface EndOptions {
  containerUrl?: string;
  act?: (handle: WorkflowHandle) => Promise<void>;
}

async function endOf(
  type: string,
  argument: unknown,
  { containerUrl = container.url, act = async () => {} }: EndOptions = {},
): Promise<{ cause: Error | undefined; status: WorkflowStatus }> {
  return time.withWorkers(
    [containerUrl],
    async (taskQueue) => {
      const handle = await time.start(type, argument, taskQueue);
      await act(handle);
      const error: unknown = await handle.result().catch((error: unknown) => error);
      if (!(error instanceof WorkflowFailedError)) throw error;
      return { cause: error.cause, status: await handle.query<WorkflowStatus>('status') };
    },
    {},
    workflowBundle,
  );
}

const gone = `http://127.0.0.1:${await freePort()}`;

test.each<[string, string, unknown, string, RegExp, EndOptions]>([
  ['a bad input', 'encode', { sourceUrl: 7 }, 'InvalidRequest', /sourceUrl/, {}],
  ['an undecodable source', 'encode', input, 'UndecodableSource', /undecodable_source/, {}],
  ['an exhausted budget', 'encode', input, 'RetryBudgetExhausted', /Gave up/, { containerUrl: gone }],
  ['a transcript that cannot be stored', 'assembling', 'file:///x/', 'TranscriptNotStored', /MEDIA_ROOT/, {}],
  ['a bug in the workflow code', 'buggy', {}, 'Internal', /Internal error in the workflow.*TypeError.*'it'/, {}],
])(
  'a run that fails because of %s also has the status failed',
  async (_, type, argument, failure, sentence, options) => {
    const { cause, status } = await endOf(type, argument, options);
    expect(cause).toBeInstanceOf(ApplicationFailure);
    expect(cause).toMatchObject({ type: failure, nonRetryable: true });
    expect(cause?.message).toMatch(sentence);
    expect(status.state).toBe('failed');
  },
);

const captioned = {
  ...input,
  outputs: [{ container: 'mp4', video: { codec: 'h264' }, captions: true, uploadUrl: 'https://media.test/a.mp4' }],
  transcript: { uploadUrlPrefix: 's3://media/a/', provider: 'test/model' },
};

test.each([
  ['while it waits', input, 'waiting'],
  ['although its transcription then fails', captioned, 'running'],
] as const)('a run that is cancelled %s ends as cancelled, with the status failed', async (_, argument, state) => {
  const { cause, status } = await endOf('encode', argument, {
    containerUrl: gone,
    act: async (handle) => {
      const isAt = async () => (await handle.query<WorkflowStatus>('status')).state === state;
      await vi.waitUntil(isAt, { timeout: 120_000 });
      await handle.cancel();
    },
  });
  expect(cause).toBeInstanceOf(CancelledFailure);
  expect(status.state).toBe('failed');
});

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function webhooksTo(receiver: WebhookReceiver): WebhookSettings {
  const acme = { value: [secret], origins: new Set([new URL(receiver.url).origin]), owners: new Set(['ana']) };
  return { secrets: new Map([['ACME', acme]]), allowed: loopbackAllowed };
}

test.each<[string, object, string | undefined]>([
  ['is cancelled before a worker takes it', {}, 'run.cancelled'],
  ['names a store that the workers cannot use', { sourceUrl: 'sftp://nas.test/a.wav' }, 'run.failed'],
  ['is cancelled with a webhook that nobody has checked', { webhook: null }, undefined],
])('a run that %s reports its end to its webhook if that is valid', async (_, changes, event) => {
  const receiver = await stopAfterTest(WebhookReceiver.start());
  const webhook = { url: receiver.url, secret: 'acme' };
  const taskQueue = randomUUID();
  const handle = await time.start('encode', { ...input, owner: 'ana', webhook, ...changes }, taskQueue);
  if (!('sourceUrl' in changes)) await handle.cancel();
  const settings = { stores: openStores({}, 600), webhooks: webhooksTo(receiver) };
  const work = async () => {
    await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
    const sent = (await RunHistory.of(handle)).childRuns();
    await vi.waitUntil(() => receiver.received.length === sent.length, { timeout: 60_000 });
  };
  await time.withWorkers([container.url], work, settings, workflowBundle, { taskQueue });
  // The clock of earlier tests has skipped, so the signature's time is not that of this machine.
  const messages = receiver.received.map(({ body }) => JSON.parse(body) as WebhookMessage);
  expect(messages.map(({ type, data }) => [type, data.id, data.owner])).toEqual(
    event === undefined ? [] : [[event, handle.workflowId, 'ana']],
  );
});

test('a run reports its end to its webhook once, although its job reports progress until it is cancelled', async () => {
  const receiver = await stopAfterTest(WebhookReceiver.start());
  const reported = Promise.withResolvers<void>();
  const reply = answer(200, jobView(2, { state: 'cancelled', endedAt: 'now' }));
  const slow = await stopAfterTest(ScriptedContainer.start(() => ({ kind: 'later', after: reported.promise, reply })));
  const types = () => receiver.received.map(({ body }) => (JSON.parse(body) as WebhookMessage).type);
  const work = async (taskQueue: string) => {
    const job = { containerUrl: slow.url, jobId: 'job-1' };
    const handle = await time.start('outlived', { job, webhook: { url: receiver.url, secret: 'acme' } }, taskQueue);
    await vi.waitUntil(() => types().length > 0, { timeout: 60_000 });
    await handle.signal(jobProgressSignal, { step: 'encode', phase: 'encode', percent: 30 });
    reported.resolve();
    await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
    const sent = (await RunHistory.of(handle)).childRuns();
    await vi.waitUntil(() => receiver.received.length === sent.length, { timeout: 60_000 });
  };
  await time.withWorkers([slow.url], work, { webhooks: webhooksTo(receiver) }, workflowBundle);
  expect(types()).toEqual(['run.failed']);
});
