import { expect, test } from 'vitest';
import type { Packet } from '../../../../engine/ffmpeg/packet-list.ts';
import { pairFields } from '../../../../engine/source/pictures/pair-fields.ts';

/** A field, and a picture of 25 per second, on a clock of 90 kHz. */
const [field, picture] = [1800, 3600];

function paired(times: readonly (number | undefined)[], durations = times.map(() => field), facts = {}): Packet[] {
  const timing = { timeBase: { num: 1, den: 90_000 }, claimedRates: [{ num: 25, den: 1 }] };
  const stream = { formatName: 'mpegts', codec: 'h264', isInterlaced: true, ...timing, ...facts };
  const packets = times.map((time, index): Packet => {
    return { pts: time, dts: time, duration: durations[index], size: 1, isKey: index === 0, isHidden: false };
  });
  return [...pairFields(stream, packets)];
}

test.each<[string, (number | undefined)[], (number | undefined)[]]>([
  ['whose first ones have a time', [0, undefined, picture, undefined], [0, picture]],
  ['that all have a time', [0, field, picture, picture + field], [0, picture]],
  ['of which few have a time', [0, undefined, undefined, undefined], [0, undefined]],
  ['of which one is lost', [0, picture, picture + field], [0, picture]],
])('combines fields %s', (_, times, pictures) => {
  const found = paired(times);
  expect(found.map(({ pts }) => pts)).toEqual(pictures);
  expect(found.every(({ duration }) => duration === picture)).toBe(true);
});

test('combines fields without a time in a film that begins with progressive pictures', () => {
  const times = [0, picture, undefined, 2 * picture, undefined];
  const found = paired(times, [picture, field, field, field, field], { isInterlaced: false });
  expect(found.map(({ pts }) => pts)).toEqual([0, picture, 2 * picture]);
});

test('combines fields whose distance ffmpeg has found in a film that begins with progressive pictures', () => {
  const times = [0, picture, picture + field];
  const claimedRates = [25, 50].map((num) => ({ num, den: 1 }));
  const found = paired(times, [picture, field, field], { isInterlaced: false, claimedRates });
  expect(found.map(({ pts }) => pts)).toEqual([0, picture]);
});

test('combines the fields of a copy in Matroska, which have the duration of a picture', () => {
  const inMatroska = { formatName: 'matroska,webm' };
  const times = Array.from({ length: 20 }, (_, index) => index * field);
  const durations = times.map(() => picture);
  const found = paired(times, durations, inMatroska);
  expect(found.map(({ pts }) => pts)).toEqual(Array.from({ length: 10 }, (_, index) => index * picture));
  // Single pictures that come early are none.
  const jittering = times.map((_, index) => index * picture - (index % 4 === 3 ? field : 0));
  expect(paired(jittering, durations, inMatroska)).toHaveLength(20);
});

test('combines the fields of an MP4 that has a sample for each', () => {
  const times = [0, field, picture, picture + field, 2 * picture, 3 * picture];
  const durations = [field, field, field, field, picture, picture];
  const pictures = [0, picture, 2 * picture, 3 * picture];
  const stream = { formatName: 'mov,mp4,m4a,3gp,3g2,mj2', storesFields: true };
  expect(paired(times, durations, stream).map(({ pts }) => pts)).toEqual(pictures);
  expect(paired(times, durations, { ...stream, storesFields: undefined })).toHaveLength(6);
});

test('keeps whole pictures between fields', () => {
  const times = [0, undefined, picture, 2 * picture, undefined];
  expect(paired(times, [field, field, picture, field, field]).map(({ pts }) => pts)).toEqual([0, picture, 2 * picture]);
});

test.each([
  ['progressive pictures whose rate has doubled', { isInterlaced: false }],
  ['HEVC, whose fields are decoded one by one', { codec: 'hevc' }],
  [
    'AVI, which may declare two ticks for each picture',
    { formatName: 'avi', claimedRates: [25, 50].map((num) => ({ num, den: 1 })) },
  ],
  ['pictures at twice the rate', { claimedRates: [{ num: 50, den: 1 }] }],
])('keeps all packets of %s', (_, facts) => {
  expect(paired([0, field, picture, picture + field], undefined, facts)).toHaveLength(4);
});
