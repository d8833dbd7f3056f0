import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import { ffmpegProcessesUnder } from '../support/ffmpeg-processes.ts';
import { RunHistory } from '../support/history.ts';
import { longWav, musicOgg } from '../support/media.ts';
import { rowsExcept } from '../support/rows.ts';
import { patient, TestStack } from '../support/stack.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const media = await stopAfterAll(MediaServer.start());
const stack = await stopAfterAll(TestStack.start({ containerEnvironment: { ...patient, RETRY_AFTER_SECONDS: '8' } }));
await copyFile(
  await longWav({ seconds: 120, channels: 2, source: musicOgg }),
  join(stack.container.mediaRoot, 'long.wav'),
);

function longEncode(name: string) {
  return {
    sourceUrl: stack.container.fileUrl('long.wav'),
    outputs: ['mp3_128', 'aac_128'].map((format) => ({
      format,
      uploadUrl: stack.container.fileUrl(`${name}-${format}`),
    })),
  };
}

test('a wait continues after the worker is killed, and does not start over', async () => {
  const never = media.on('GET /never-answers', () => {});
  const blocking = await stack.container.submit('/encode', {
    sourceUrl: never,
    outputs: [{ format: 'mp3_128', uploadUrl: stack.container.fileUrl('blocking') }],
  });
  const handle = await stack.run('encode', longEncode('killed-while-waiting'));
  const { waiting } = await stack.untilStatus(handle, 'wait', ({ state }) => state === 'waiting');
  expect(waiting).toMatchObject({ reason: 'rate_limited', seconds: 8 });
  await stack.worker.stop('SIGKILL');
  await stack.container.call('DELETE', `/jobs/${blocking}`);
  await stack.startWorker();
  const outcome = EncodeOutcome.parse(await handle.result());
  expect(outcome).toMatchObject({ attempts: 2, rateLimitHits: 1, connectionErrors: 0 });
  // The next worker set no second timer.
  expect((await RunHistory.of(handle)).timerSeconds()).toEqual([8]);
});

test.each(rowsExcept(['waiting'], ['running', 'waiting'] as const))(
  'cancelling a %s run as the Web UI does ends ffmpeg and frees the slot',
  async (state) => {
    const blocking =
      state === 'waiting' &&
      (await stack.container.submit('/encode', {
        sourceUrl: media.on('GET /never', () => {}),
        outputs: [{ format: 'mp3_128', uploadUrl: stack.container.fileUrl('blocking') }],
      }));
    const handle = await stack.run('encode', longEncode(`cancelled-${state}`));
    await stack.untilStatus(handle, `state ${state}`, (status) => status.state === state);
    if (state === 'running') await stack.container.untilEncoding();
    await stack.temporal.cli('workflow', 'cancel', '--workflow-id', handle.workflowId);
    if (blocking !== false) await stack.container.call('DELETE', `/jobs/${blocking}`);
    await stack.worker.until('free slot', async () => (await stack.container.health()).activeJobs === 0);
    await stack.worker.until(
      'no ffmpeg',
      async () => (await ffmpegProcessesUnder(stack.container.scratchDir)).length === 0,
    );
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
  },
);
