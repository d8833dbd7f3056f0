import { expect, test } from 'vitest';
import { answer, encodedOutput, encodeResult } from '../../fixtures/scripted-container.ts';
import { RunHistory } from '../../support/history.ts';
import { inTurn, useScriptedRuns } from '../../support/scripted-runs.ts';

const runs = await useScriptedRuns();
const key = '0123456789abcdef00112233deadbeef';
const rest = { scheme: 'cbcs', keyId: '8a5e2b7c-1d3f-4a60-9b11-c2d3e4f50617', keyUri: 'https://keys.test/1' };
const inputWith = (encryption: object) => ({
  sourceUrl: 'https://media.test/in.mp4',
  outputs: [{ package: ['hls', 'dash'], encryption, uploadUrlPrefix: 'file:///out/' }],
});

test('a named key reaches the container but not the history, and a key in a store gets a signed URL', async () => {
  const packaged = { ...encodeResult, outputs: [{ ...encodedOutput, format: undefined, package: ['hls', 'dash'] }] };
  const container = await runs.start(inTurn(answer(200, packaged)));
  const headers = { authorization: { env: 'HEADER_KEYS' } };
  const inputs = [
    inputWith({ ...rest, key: 'acme_1' }),
    inputWith({ ...rest, keyUrl: 's3://keys/film' }),
    inputWith({ ...rest, keyUrl: 'https://keys.test/film', headers }),
  ];
  await runs.time.withWorkers(
    [container.url],
    async (taskQueue) => {
      for (const input of inputs) {
        const handle = await runs.time.start('encode', input, taskQueue);
        await handle.result();
        const text = (await RunHistory.of(handle)).text();
        expect(text).toContain(rest.keyUri);
        expect(text).not.toContain(key);
        expect(text).not.toContain('s3cr3t');
      }
    },
    {
      packageKeys: new Map([['ACME_1', { value: key }]]),
      headerVariables: new Map([['HEADER_KEYS', { value: 's3cr3t' }]]),
    },
  );
  const asked = container.requestsTo('POST', '/encode').map(({ body }) => body.outputs[0].encryption);
  expect(asked).toEqual([
    { ...rest, key },
    { ...rest, keyUrl: expect.stringContaining('https://s3.test/keys/film?X-Amz-get') },
    { ...rest, keyUrl: 'https://keys.test/film', headers: { authorization: 's3cr3t' } },
  ]);
});

test('a key in plain text and an unknown key name fail at once with the reason', async () => {
  const unset = await runs.run(inTurn(answer(200, encodeResult)), inputWith({ ...rest, key: 'other' }));
  expect(unset.failure).toMatchObject({
    type: 'InvalidRequest',
    message: 'An output\'s encryption names the key "other", but this worker has no PACKAGE_KEY_OTHER for this run',
  });
  const plain = await runs.run(inTurn(answer(200, encodeResult)), inputWith({ ...rest, key }));
  expect(plain.failure).toMatchObject({
    type: 'InvalidRequest',
    message: expect.stringContaining('is a key, which Temporal would show'),
  });
  expect(plain.failure?.message).not.toContain(key);
});
