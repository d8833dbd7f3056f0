import { expect, test } from 'vitest';
import {
  ScriptedContainer,
  accepted,
  answer,
  encodedOutput,
  encodeResult,
  succeededView,
} from '../../fixtures/scripted-container.ts';
import { TestAttempt } from '../../support/attempt.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

let container: ScriptedContainer;

test('tells the server which container it will ask before asking, because a heartbeat is lost with its worker', async () => {
  const recordedBefore: unknown[] = [];
  container = await stopAfterTest(
    ScriptedContainer.start(({ method }) => {
      if (method !== 'POST') return answer(200, succeededView);
      recordedBefore.push(...attempt.recorded);
      return accepted;
    }),
  );
  const attempt = new TestAttempt(container.url);
  await attempt.encode();
  expect(recordedBefore).toMatchObject([{ state: { asked: { containerUrl: container.url } } }]);
});

test('a worker that was frozen while another took over its activity submits no job', async () => {
  container = await stopAfterTest(ScriptedContainer.start(() => accepted));
  const attempt = new TestAttempt(container.url, { isTakenOver: true });
  await expect(attempt.encode()).rejects.toMatchObject({ type: 'TakenOver', nonRetryable: false });
  expect(container.requestsTo('POST', '/encode')).toEqual([]);
});

test('a request with fields that older versions lack does not reuse the key of their requests', async () => {
  const made = { ...encodeResult, outputs: [{ ...encodedOutput, format: undefined, preset: 'house' }] };
  container = await stopAfterTest(ScriptedContainer.start(() => answer(200, made)));
  const film = { preset: 'house', uploadUrl: 'file:///film.mp4' };
  const preset = { ...film, presetSubtitles: true as const };
  const file = { url: 'https://media.test/a.vtt', clock: 'sound' as const };
  for (const output of [
    film,
    preset,
    { ...film, subtitles: { burn: file } },
    { ...preset, subtitles: { add: [file] } },
  ]) {
    await new TestAttempt(container.url).encode({ outputs: [output] });
  }
  const keys = container.requestsTo('POST', '/encode').map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual(
    ['', ':preset-subtitles', ':sound-clock', ':preset-subtitles:sound-clock'].map((end) => `run:encode${end}`),
  );
});
