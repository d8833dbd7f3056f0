import { expect, test } from 'vitest';
import { describeTiming } from '../../../../engine/source/describe-timing.ts';
import { describePictures, pictureSeconds, timePictures } from '../../../../engine/source/pictures/picture-source.ts';
import { ProbeOutput } from '../../../../engine/ffmpeg/probed.ts';
import { judgeCompleteness } from '../../../../engine/verify/completeness.ts';
import type { Packet } from '../../../../engine/ffmpeg/packet-list.ts';

/** 25 pictures per second on a 90 kHz clock. */
const ticks = 3600;

function timed(
  packets: readonly (Pick<Packet, 'pts' | 'dts'> & Partial<Packet>)[],
  heldBack = 1,
  rates = {},
  format = 'mpeg',
  file = {},
  others: readonly object[] = [],
) {
  const stream = {
    index: 0,
    codec_type: 'video',
    width: 160,
    height: 90,
    time_base: '1/90000',
    avg_frame_rate: '25/1',
  };
  const probed = ProbeOutput.parse({
    streams: [
      { ...stream, ...rates, has_b_frames: heldBack },
      ...others.map((other, index) => ({ index: index + 1, ...other })),
    ],
    format: { format_name: format, ...file },
  });
  const described = describePictures('film', { ...probed, durationIsGuess: false }, { kind: 'unknown' } as never);
  if (described === undefined) throw new Error('it has pictures');
  const whole = packets.map((packet, index) => ({
    ...{ duration: ticks, size: 1, isKey: index === 0, isHidden: false },
    ...packet,
  }));
  return timePictures(described, whole);
}

test.each([
  [[0, 1], 1],
  [[0, 0], 0],
  [[1, 1], 0],
])('takes the marked film of two tracks whose default flags are %j: track %i', (flags, index) => {
  const streams = flags.map((flag, place) => ({
    ...{ index: place, codec_type: 'video', width: 160, height: 90, disposition: { default: flag, attached_pic: 0 } },
  }));
  const probed = {
    ...ProbeOutput.parse({ streams, format: { format_name: 'matroska,webm' } }),
    durationIsGuess: false,
  };
  expect(describePictures('film', probed, { kind: 'unknown' } as never)?.index).toBe(index);
});

test('adjacent pictures of a program stream are timed by the first one if only that one is stamped', () => {
  // I P B B P B B. The first is stamped and shown one picture after its decoding.
  const packets = Array.from({ length: 7 }, (_, index) => ({
    pts: index % 4 === 0 ? (index === 0 ? ticks : 8 * ticks) : undefined,
    dts: index * ticks,
  }));
  expect(timed(packets)).toMatchObject({
    ...{ isStamped: true, startTicks: ticks, frames: 7 },
    constantRate: { num: 25, den: 1 },
    stamps: [1, 2, 3, 4, 5, 6, 7].map((count) => count * ticks),
  });
});

test('the bitrate of pictures is theirs, and not that of a file with sound', () => {
  const packets = Array.from({ length: 50 }, (_, index) => ({ pts: index * ticks, dts: index * ticks, size: 5000 }));
  const bitrates = [{ bit_rate: '900000' }, {}].map(
    (stated) => timed(packets, 0, stated, 'matroska,webm', { bit_rate: '6200000' }, [{ codec_type: 'audio' }]).bitrate,
  );
  expect(bitrates).toEqual([900, 1000]);
});

test('pictures before the first key frame do not make a film truncated', () => {
  const packets = Array.from({ length: 1500 }, (_, index) => ({
    ...{ pts: index * ticks, dts: index * ticks },
    isKey: index >= 100 && index % 250 === 100,
  }));
  const late = timed(packets, 0, {}, 'matroska,webm', { duration: 60 });
  expect(late).toMatchObject({ startsLate: true, declaredSeconds: 56 });
  expect(judgeCompleteness(late, pictureSeconds(late))).toBe(true);
  const cut = timed(packets.slice(0, 750), 0, {}, 'matroska,webm', { duration: 60 });
  expect(() => judgeCompleteness(cut, pictureSeconds(cut))).toThrow(/declares 56\.0 seconds, and only 26\.0/);
});

test('two fields of H.264 are one picture', () => {
  const packets = Array.from({ length: 8 }, (_, index) => {
    const time = index % 2 === 0 ? index * (ticks / 2) : undefined;
    return { pts: time, dts: time, duration: ticks / 2 };
  });
  expect(timed(packets, 0, { codec_name: 'h264', field_order: 'tt' }, 'mpegts')).toMatchObject({
    ...{ frames: 4, stamps: [0, 1, 2, 3].map((count) => count * ticks), endTicks: 4 * ticks },
    constantRate: { num: 25, den: 1 },
  });
});

test('pictures whose times are estimated by rounded durations are counted, at their constant rate', () => {
  const [picture, rounded] = [3753.75, 3753];
  const packets = Array.from({ length: 24 }, (_, index) => {
    const [stamped, since] = [index - (index % 12), index % 12];
    const time = Math.round(stamped * picture) + since * rounded;
    return { pts: since === 0 ? time + ticks : undefined, dts: time };
  });
  const rates = { avg_frame_rate: '24000/1001' };
  expect(timed(packets, 1, rates)).toMatchObject({
    ...{ isStamped: true, startTicks: ticks, frames: 24, stamps: undefined },
    constantRate: { num: 24_000, den: 1001 },
  });
});

test('pictures with estimated times among which some are missing keep the constant rate', () => {
  const [picture, rounded] = [3753.75, 3753];
  const packets = Array.from({ length: 48 }, (_, index) => {
    const [stamped, since] = [index - (index % 12), index % 12];
    const time = Math.round(stamped * picture) + since * rounded;
    return { pts: since === 0 ? time + ticks : undefined, dts: time };
  });
  const rates = { avg_frame_rate: '23/1', r_frame_rate: '24000/1001' };
  expect(timed([...packets.slice(0, 17), ...packets.slice(20)], 1, rates)).toMatchObject({
    ...{ startTicks: ticks, frames: 45, stamps: undefined },
    constantRate: { num: 24_000, den: 1001 },
  });
});

test('pictures without timestamps follow one another from zero', () => {
  const packets = [0, 1, 2].map((index) => ({ pts: undefined, dts: index * ticks }));
  expect(timed(packets)).toMatchObject({ isStamped: false, startTicks: 0, frames: 3, stamps: undefined });
});

test('pictures that have no timestamps and are not reordered are shown at their decoding times', () => {
  const dts = [0, 2, 3, 6].map((place) => place * ticks);
  const packets = dts.map((time) => ({ pts: undefined, dts: time }));
  expect(timed(packets, 0)).toMatchObject({ isStamped: false, constantRate: undefined, stamps: dts });
});

test('a picture of a transport stream without any time follows the previous one', () => {
  const packets = [0, 1, 2, 3].map((place) => ({ pts: (place + 1) * ticks, dts: place * ticks }));
  packets[2] = { pts: undefined, dts: undefined } as never;
  expect(timed(packets, 1, {}, 'mpegts')).toMatchObject({
    ...{ isStamped: true, frames: 4, constantRate: { num: 25, den: 1 } },
    stamps: [1, 2, 3, 4].map((place) => place * ticks),
  });
  expect(() => timed(packets.toReversed().slice(1), 1, {}, 'mpegts')).toThrow(
    /Not every picture of the source has a time stamp/,
  );
});

test('reordered pictures without timestamps have the rate of their distance, whatever the file declares', () => {
  // The third of them was lost.
  const packets = [0, 2, 6, 8, 10].map((dts) => ({ pts: undefined, dts }));
  expect(timed(packets, 2, { time_base: '1/50', avg_frame_rate: '50/1' }, 'avi')).toMatchObject({
    ...{ isStamped: false, startTicks: 0, endTicks: 12, frames: 5, stamps: undefined },
    constantRate: { num: 25, den: 1 },
  });
});

test('pictures that repeat the previous time are not shown, and the others keep theirs', () => {
  const times = [0, 3003, 6400, 6400, 6400, 15_400, 18_000, 21_700, 25_000, 28_700];
  const packets = times.map((time) => ({ pts: time, dts: time }));
  expect(timed(packets)).toMatchObject({
    ...{ hasRepeated: true, frames: 8, constantRate: undefined },
    stamps: [0, 3003, 6400, 15_400, 18_000, 21_700, 25_000, 28_700],
  });
});

test('a picture that repeats the previous time fills its gap in a film of constant rate', () => {
  const packets = [0, 1, 2, 2, 4, 5].map((place) => ({ pts: place * ticks, dts: place * ticks }));
  expect(timed(packets)).toMatchObject({
    ...{ hasRepeated: false, frames: 6, stamps: undefined },
    constantRate: { num: 25, den: 1 },
  });
});

test('refuses an edit list of several parts by its name, and not as several recordings', () => {
  // The second part shows pictures 4 and 5, and is decoded from its key frame, two pictures earlier.
  const decoded = [0, 1, 2, 3, 2, 3, 4, 5];
  const packets = decoded.map((place, index) => ({
    pts: place * ticks,
    dts: place * ticks,
    isKey: index === 0 || index === 4,
    isHidden: index === 4 || index === 5,
  }));
  expect(() => timed(packets, 1, {}, 'mov')).toThrow(
    /^The edit list of the source shows several parts of its pictures\./,
  );
});

test.each([
  ['vp8', 'alpha_mode', true],
  ['vp9', 'ALPHA_MODE', true],
  ['ffv1', 'alpha_mode', undefined],
  ['h264', 'ALPHA_MODE', undefined],
])('the transparency of %s with the tag %s is beside its pictures: %s', (codec, tag, hasAlphaBeside) => {
  const { hasAlphaBeside: found } = timed([{ pts: 0, dts: 0 }], 0, { codec_name: codec, tags: { [tag]: '1' } });
  expect(found).toBe(hasAlphaBeside);
});

test('pictures that are reordered in ASF are shown when the decoder yields them, and those of AVI as numbered', () => {
  const packets = Array.from({ length: 5 }, (_, index) => ({ pts: undefined, dts: index * ticks }));
  expect(timed(packets, 2, {}, 'asf')).toMatchObject({
    ...{ isStamped: false, heldBack: 0, startTicks: 2 * ticks, endTicks: 7 * ticks, keyTicks: [2 * ticks] },
    constantRate: { num: 25, den: 1 },
  });
  expect(timed(packets, 2, {}, 'avi')).toMatchObject({ heldBack: 2, startTicks: 0, endTicks: 5 * ticks });
});

test('describes the timing of a film of hours in which every picture is a key frame', () => {
  const frames = 150_000;
  const packets = Array.from({ length: frames }, (_, index) => ({
    pts: index * ticks,
    dts: index * ticks,
    isKey: true,
  }));
  const { constantRate, stamps, endTicks, keyTicks } = timed(packets, 0, { codec_name: 'prores' }, 'mov');
  const film = { constantRate, stamps, endTicks, keyTicks, frames, startTicks: 0, timeBase: { num: 1, den: 90_000 } };
  expect(describeTiming(film as never)).toMatchObject({ keyframes: frames, longestGroup: 0.04, fps: 25 });
});
