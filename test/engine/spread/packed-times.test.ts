import { expect, test } from 'vitest';
import { timePictures, type PictureStream } from '../../../engine/source/pictures/picture-source.ts';
import { packTimes, unpackTimes } from '../../../engine/spread/packed-times.ts';

const stream = {
  timeBase: { num: 1, den: 1000 },
  formatName: 'matroska,webm',
  claimedRates: [],
  heldBack: 2,
} as unknown as PictureStream;

/** A film whose pictures are shown after `stepsMs`, in turn, with a key frame each 48 pictures, and without B-frames. */
function film(count: number, stepsMs: readonly number[], undated = 0) {
  let time = 0;
  return Array.from({ length: count }, (_, index) => {
    const pts = time;
    time += stepsMs[index % stepsMs.length] ?? 0;
    const dts = index < undated ? undefined : pts;
    return { pts, dts, duration: 42, size: 100, isKey: index % 48 === 0, isHidden: false };
  });
}

test.each<[string, ReturnType<typeof film>]>([
  ['a constant rate', film(5000, [42, 42, 41])],
  ['a varying rate', film(5000, [42, 17, 90, 33, 20])],
  ['no decoding time of its first packets', film(5000, [40], 2)],
])('packed times of a film with %s yield the same pictures', (_, packets) => {
  const pictures = timePictures(stream, packets);
  expect(timePictures(stream, unpackTimes(packTimes(pictures) ?? ''))).toEqual(pictures);
});

test('the times of two hours at a constant rate take less than 4 KiB', () => {
  const text = packTimes(timePictures(stream, film(172_800, [42, 42, 41])));
  expect(text?.length).toBeLessThan(4096);
});

test('times that are too long, or of pictures that are not shown, are not packed', () => {
  const jitter = Array.from({ length: 4001 }, (_, index) => 30 + ((index * index * 7919) % 257));
  const pictures = timePictures(stream, film(200_000, jitter));
  const irregular = { ...pictures, stamps: pictures.stamps?.map((stamp, index) => stamp + ((index * stamp) % 97)) };
  expect(packTimes(irregular)).toBeUndefined();
  expect(packTimes({ ...timePictures(stream, film(100, [40])), hasHidden: true })).toBeUndefined();
});

test.each(['', 'no base64', Buffer.from('{}').toString('base64')])(
  'times that cannot be read are refused: %j',
  (text) => {
    expect(() => unpackTimes(text)).toThrow(/cannot be read/);
  },
);
