import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { newRetryState } from '../../../workflows/run/retry-state.ts';
import { answer, encodedOutput, encodeResult } from '../../fixtures/scripted-container.ts';
import { encodeInput, useScriptedRuns } from '../../support/scripted-runs.ts';

const runs = await useScriptedRuns();

const ok = answer(200, encodeResult);

function keys(): unknown[] {
  return (runs.container?.requestsTo('POST', '/encode') ?? []).map(({ headers }) => headers['idempotency-key']);
}

test('a continued run uses the key that it was given, even if it is no longer a cron', async () => {
  const container = await runs.start(() => ok);
  await runs.time.withWorkers([container.url], async (taskQueue) => {
    const handle = await runs.time.environment.client.workflow.start('encode', {
      taskQueue,
      workflowId: randomUUID(),
      args: [encodeInput, { key: 'handed', state: newRetryState() }],
    });
    await handle.result();
    expect(keys()).toEqual(['handed:encode']);
  });
});

test.each([
  ['replace, as an older version began', {}, undefined],
  ['join', { joinsPresets: true }, true],
])('captions of a continued run still %s the subtitles of a preset', async (_, joins, presetSubtitles) => {
  const input = {
    ...encodeInput,
    outputs: [{ preset: 'house', captions: true, uploadUrl: 's3://media/film.mp4' }],
    transcript: { uploadUrlPrefix: 's3://media/film/' },
  };
  const made = { ...encodedOutput, format: undefined, preset: 'house' };
  const container = await runs.start(() => answer(200, { ...encodeResult, outputs: [made] }));
  await runs.time.withWorkers([container.url], async (taskQueue) => {
    const captions = { url: 'https://media.test/film.vtt', ...joins };
    const handle = await runs.time.environment.client.workflow.start('encode', {
      taskQueue,
      workflowId: randomUUID(),
      args: [input, { key: 'handed', state: newRetryState(), captions }],
    });
    await handle.result();
    const [request] = container.requestsTo('POST', '/encode');
    expect(request?.body.outputs[0].presetSubtitles).toBe(presetSubtitles);
  });
});

test('each run of a cron has its own key, and the first key starts with its run id', async () => {
  const container = await runs.start(() => ok);
  await runs.time.withWorkers([container.url], async (taskQueue) => {
    const handle = await runs.time.environment.client.workflow.start('encode', {
      taskQueue,
      workflowId: randomUUID(),
      args: [encodeInput],
      cronSchedule: '* * * * *',
    });
    // The clock skips only while a result is awaited, and a cron has none.
    const end = handle.result().catch(() => undefined);
    await vi.waitUntil(() => keys().length >= 4, { timeout: 120_000 });
    // Between two runs of the cron, there is no run to terminate.
    await vi.waitUntil(
      () =>
        handle.terminate().then(
          () => true,
          () => false,
        ),
      { timeout: 30_000 },
    );
    await end;
    expect(new Set(keys()).size).toBe(keys().length);
    expect(keys()[0]).toBe(`${handle.firstExecutionRunId}:encode`);
  });
});
