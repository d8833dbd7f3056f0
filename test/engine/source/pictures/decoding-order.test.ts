import { expect, test } from 'vitest';
import { listPackets } from '../../../../engine/ffmpeg/packet-list.ts';
import { probeFile } from '../../../../engine/ffmpeg/probe.ts';
import { describeOrder } from '../../../../engine/source/pictures/decoding-order.ts';
import { describePictures, timePictures } from '../../../../engine/source/pictures/picture-source.ts';
import { motion, quickH264 } from '../../../support/films.ts';
import { useFolder } from '../../../support/folder.ts';
import { makeMedia } from '../../../support/media-files.ts';

const folder = useFolder();
const { signal } = new AbortController();

async function describe(path: string) {
  const stream = describePictures(path, await probeFile(path, { signal }), { kind: 'unknown' } as never);
  if (stream === undefined) throw new Error('it has pictures');
  const packets = await listPackets(path, stream.index, signal);
  return { stream: await describeOrder(stream, packets, signal), packets };
}

test('recognises MXF with the decoding times of reordered H.264, and counts its pictures', async () => {
  const { stream, packets } = await describe(await makeMedia(folder, 'reordered.mxf', ...motion(0.8), ...quickH264));
  expect(stream).toMatchObject({ isInDecodingOrder: true });
  expect(timePictures(stream, packets)).toMatchObject({
    ...{ isStamped: false, heldBack: 0, stamps: undefined, startTicks: 0, frames: 20 },
    constantRate: { num: 25, den: 1 },
  });
});

test.each([
  ['film.mp4', quickH264],
  ['film.mkv', quickH264],
  ['unordered.mxf', [...quickH264, '-bf', '0']],
])('takes the times of %s for those at which pictures are shown', async (name, encoder) => {
  const { stream, packets } = await describe(await makeMedia(folder, name, ...motion(0.8), ...encoder));
  expect(stream).not.toHaveProperty('isInDecodingOrder');
  // A stream that only declares reordering has the same times in both orders.
  expect(await describeOrder({ ...stream, heldBack: 2 }, packets, signal)).not.toHaveProperty('isInDecodingOrder');
});

test('refuses decoding times of a varying rate, which do not tell when pictures are shown', async () => {
  const args = [...motion(0.8), '-vf', "select='mod(n,3)'", '-fps_mode', 'vfr'];
  const { stream, packets } = await describe(await makeMedia(folder, 'varying.mkv', ...args, ...quickH264));
  const decoded = packets.map((packet, index) => ({
    ...packet,
    pts: packets.map(({ pts = 0 }) => pts).toSorted((a, b) => a - b)[index],
  }));
  expect(() => timePictures({ ...stream, isInDecodingOrder: true }, decoded)).toThrow('not when they are shown');
});
