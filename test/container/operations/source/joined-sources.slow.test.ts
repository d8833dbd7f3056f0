import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestContainer } from '../../../support/container.ts';
import { makeMedia, placement, samplesOf } from '../../../support/media-files.ts';
import { stopAfterAll } from '../../../support/stop-after-all.ts';

const sampleRate = 48_000;
/** More files than one ffmpeg process may open. */
const count = 230;

const container = await stopAfterAll(TestContainer.start());

test('joins more parts than a process may open, each in its place', async () => {
  const { mediaRoot } = container;
  const samples: Int16Array[] = [];
  const files: Buffer[] = [];
  for (let index = 0; index < 5; index += 1) {
    const noise = `anoisesrc=d=0.${index + 3}:r=${sampleRate}:seed=${index + 1}`;
    const part = await makeMedia(mediaRoot, `part-${index}.flac`, '-f', 'lavfi', '-i', noise, '-c:a', 'flac');
    samples.push(await samplesOf(part, sampleRate));
    files.push(await readFile(part));
  }
  const inTurn = <Part>(parts: Part[]): Part[] =>
    Array.from({ length: count }, (_, index) => parts[index % parts.length] as Part);
  await writeFile(join(mediaRoot, 'radio.flac'), Buffer.concat(inTurn(files)));
  const answer = await container.call('POST', '/encode', {
    sourceUrl: container.fileUrl('radio.flac'),
    outputs: [{ format: 'wav', uploadUrl: container.fileUrl('radio.wav') }],
  });
  expect(answer).toMatchObject({ status: 200 });
  const whole = Int16Array.from(inTurn(samples).flatMap((part) => [...part]));
  const encoded = await samplesOf(join(mediaRoot, 'radio.wav'), sampleRate);
  expect(encoded.length).toBe(whole.length);
  expect(placement(encoded.subarray(100 * sampleRate), whole, 100, sampleRate, 0.02)).toMatchObject({ lag: 0 });
  expect(Buffer.from(encoded.buffer).equals(Buffer.from(whole.buffer))).toBe(true);
}, 600_000);
