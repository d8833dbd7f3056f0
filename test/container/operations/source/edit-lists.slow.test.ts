import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { replaceBoxes } from '../../../../engine/formats/isobmff/box.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { samplesOf } from '../../../support/media-files.ts';

const service = await useEncodes();
const { encoded, file, make, outputFile } = service;

const rate = 8000;

/** A part of the sound: seconds that it lasts, and seconds of the media at its start, or -1 for silence. */
type Edit = readonly [seconds: number, mediaSeconds: number];

/** Makes five seconds of music whose edit list shows these parts. */
async function makeEdited(name: string, edits: readonly Edit[]): Promise<void> {
  const whole = await make(`whole-${name}`, ...service.fromMusic(), '-ar', '48000', '-c:a', 'aac');
  const list = Buffer.alloc(8 + edits.length * 12);
  list.writeUInt32BE(edits.length, 4);
  for (const [index, [seconds, mediaSeconds]] of edits.entries()) {
    const at = 8 + index * 12;
    list.writeUInt32BE(seconds * 1000, at);
    list.writeInt32BE(mediaSeconds < 0 ? -1 : mediaSeconds * 48_000, at + 4);
    list.writeUInt16BE(1, at + 8);
  }
  await writeFile(file(name), replaceBoxes(await readFile(whole), new Map([['elst', () => list]])));
}

test('accepts sound that an edit list both delays and shortens', async () => {
  await makeEdited('delayed.m4a', [
    [2.5, -1],
    [2, 1],
  ]);
  const { source } = await encoded('delayed.m4a', [{ format: 'wav' }]);
  expect(source).toMatchObject({ complete: true });
  expect((await samplesOf(outputFile('delayed.m4a'), rate)).length / rate).toBeCloseTo(2, 1);
});

test('leaves out of chunks what an edit list hides between two parts', async () => {
  await makeEdited('parts.m4a', [
    [2, 0.5],
    [2, 3],
  ]);
  const chunks = [0, 1].map((index) => ({ index, uploadUrl: service.container.fileUrl(`out/parts/${index}`) }));
  const request = { sourceUrl: service.container.fileUrl('parts.m4a'), chunkDuration: 2.5, overlapDuration: 0, chunks };
  const answer = await service.container.call('POST', '/chunk', request);
  expect(answer.body).toMatchObject({ success: true });
  expect((await samplesOf(file('out/parts/0'), rate)).length / rate).toBeCloseTo(2.5, 1);
});
