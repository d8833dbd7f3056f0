import { expect, test } from 'vitest';
import type { EncodePart } from '../../../contract/http/part.ts';
import type { EncodeOutcome } from '../../../contract/workflow/encode.ts';
import { answer, busy, encodeResult, ScriptedContainer } from '../../fixtures/scripted-container.ts';
import { segmentStorage } from '../../support/fake-stores.ts';
import { useFolder } from '../../support/folder.ts';
import { RunHistory } from '../../support/history.ts';
import { identity, resultOfPart } from '../../support/part-results.ts';
import { useInstantAttempts } from '../../support/scripted-runs.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';
import { TimeSkipping } from '../../support/time-skipping.ts';
import { bundleFixture } from '../../support/workflow-fixtures.ts';

const folder = useFolder();
const time = await stopAfterAll(TimeSkipping.start());
const workflowBundle = await bundleFixture('transcribed', folder);
useInstantAttempts();

const film = { container: 'mp4', video: { codec: 'h264' }, uploadUrl: 's3://media/film.mp4' };
const filmResult = { ...encodeResult, outputs: [{ container: 'mp4', size: 10, duration: 40, sha256: 'a'.repeat(64) }] };
const segments = [
  { from: 0, to: 500 },
  { from: 500, to: 1000 },
];

test('a spread run with captions that continues as new transcribes once and gives every part the captions', async () => {
  const busyReplies = 500;
  let refused = 0;
  const container = await ScriptedContainer.start(({ body }) => {
    const part: EncodePart | undefined = body.part;
    if (part?.kind === 'segment' && part.from === 500 && (refused += 1) <= busyReplies) return busy(1);
    if (part?.kind === 'join') return answer(200, { ...filmResult, identity });
    return answer(200, resultOfPart(part, segments));
  });
  const spread = { mostContainers: 16, leastSeconds: 300, store: 's3://parts/' };
  const input = {
    sourceUrl: 'https://media.test/film.mov',
    outputs: [{ ...film, captions: { language: 'eng' } }],
    transcript: { uploadUrlPrefix: 's3://media/film/', provider: 'test/model' },
    spread: { containers: 2, segmentSeconds: 20 },
  };
  await time.withWorkers(
    [container.url],
    async (taskQueue) => {
      const handle = await time.start('encode', input, taskQueue);
      const result = (await handle.result()) as EncodeOutcome;
      expect(result).toMatchObject({
        spread: { segments: 2 },
        rateLimitHits: busyReplies,
        transcript: { vtt: 's3://media/film/transcript.vtt' },
      });
      const { runId } = await handle.describe();
      expect(runId).not.toBe(handle.firstExecutionRunId);
      const { client } = time.environment;
      const histories = [handle.firstExecutionRunId, runId].map(
        async (run) => await RunHistory.of(client.workflow.getHandle(handle.workflowId, run)),
      );
      expect((await Promise.all(histories)).map((history) => history.childRuns())).toEqual([['processing'], []]);
    },
    { storage: segmentStorage(), spread },
    workflowBundle,
  );
  const asked = container.requestsTo('POST', '/encode');
  expect(new Set(asked.map(({ body }) => body.part.kind))).toEqual(new Set(['plan', 'segment', 'join']));
  const subtitles = new Set(asked.map(({ body }) => JSON.stringify(body.outputs[0].subtitles)));
  const added = { url: 'https://s3.test/media/film/transcript.vtt?X-Amz-get', clock: 'sound', language: 'eng' };
  expect([...subtitles].map((text) => JSON.parse(text) as unknown)).toEqual([{ add: [added] }]);
  await container.stop();
}, 300_000);
