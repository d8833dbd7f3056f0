import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { Client, Connection, type WorkflowHandle, WorkflowFailedError } from '@temporalio/client';
import { afterAll, expect, test } from 'vitest';
import { describeFailure } from '../../client/failure.ts';
import { readLiveStatus } from '../../client/live-status.ts';
import { rerunWorkflow } from '../../client/rerun.ts';
import { speechWav } from '../support/media.ts';
import { TestStack } from '../support/stack.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const stack = await stopAfterAll(TestStack.start({ payloadKey: randomBytes(32).toString('base64') }));
/** A client without the key, which sees what a reader of Temporal's database sees. */
const outsider = new Client({ connection: await Connection.connect({ address: stack.temporal.address }) });
await copyFile(speechWav, join(stack.container.mediaRoot, 'confidential.wav'));
afterAll(() => outsider.connection.close());

/** The whole history, with its payloads decoded as text. */
async function historyText({ workflowId }: WorkflowHandle): Promise<string> {
  const history = await outsider.workflow.getHandle(workflowId).fetchHistory();
  const json = JSON.stringify(history);
  const data = [...json.matchAll(/"([A-Za-z0-9+/]{8,}={0,2})"/g)].map(([, text = '']) =>
    Buffer.from(text, 'base64').toString('latin1'),
  );
  return [json, ...data].join('\n');
}

test('an encrypted run succeeds, and its history reveals neither files nor result', async () => {
  const { container } = stack;
  const handle = await stack.run('encode', {
    sourceUrl: container.fileUrl('confidential.wav'),
    outputs: [{ format: 'mp3_64', uploadUrl: container.fileUrl('confidential.mp3') }],
  });
  const result = (await handle.result()) as { outputs: { sha256: string }[] };
  const text = await historyText(handle);
  expect(text).toContain('binary/encrypted');
  expect(text).not.toContain('confidential');
  expect(text).not.toContain('mp3_64');
  expect(text).not.toContain(result.outputs[0]?.sha256);
  const status = await readLiveStatus(stack.client, handle, 'encode', new AbortController().signal);
  expect(status?.state).toBe('done');
  const error = await outsider.workflow
    .getHandle(handle.workflowId)
    .result()
    .catch((thrown: unknown) => thrown);
  expect(describeFailure(error)).toMatch(/is encrypted\. Set PAYLOAD_KEY/);
  const rerun = rerunWorkflow(outsider, handle.workflowId, { mediaRoot: undefined, details: 'again' });
  await expect(rerun).rejects.toMatchObject({ problem: { kind: 'encrypted' } });
});

test('the reason for a failure is readable only with the key', async () => {
  const { container } = stack;
  const handle = await stack.run('encode', {
    sourceUrl: container.fileUrl('confidential-and-missing.wav'),
    outputs: [{ format: 'mp3_64', uploadUrl: container.fileUrl('confidential.mp3') }],
  });
  const error = await handle.result().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WorkflowFailedError);
  expect((error as WorkflowFailedError).cause?.message).toMatch(/source/i);
  const text = await historyText(handle);
  expect(text).toContain('Encoded failure');
  expect(text).not.toContain('confidential');
});
