import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import { motion, pictureTimes, quickH264 } from '../../../support/films.ts';

const { encoded, file, make, outputFile } = await useEncodes();

/** Film of these times in seconds, with B-frames; `sound` and `options` are further arguments of ffmpeg. */
async function makeSlides(
  name: string,
  times: readonly number[],
  sound: readonly string[] = [],
  options: readonly string[] = [],
): Promise<void> {
  const places = times.map((time, index) => `eq(N,${index})*${time}`).join('+');
  await make(
    name,
    ...[...motion(times.length / 25), ...sound, '-vf', `settb=1/1000,setpts=(${places.replaceAll(',', '\\,')})/TB`],
    ...['-fps_mode', 'vfr', '-enc_time_base', '1/1000', '-video_track_timescale', '1000', ...quickH264, ...options],
  );
}

/** ffmpeg 5.1 derives the length of such a track from the times of decoding. */
const pathological = [0, 5, 5.04];

const lengthOf = async (path: string): Promise<number> => Number((await probeAll(path)).format.duration);

const outputs = [
  { container: 'mp4', video: { codec: 'h264', speed: 'fast' } },
  { container: 'mp4', video: { codec: 'hevc', speed: 'fast' } },
  { container: 'mov', video: { codec: 'prores' } },
  { container: 'mkv', video: { codec: 'h264', speed: 'fast', keyframeInterval: 1 } },
  { container: 'webm', video: { codec: 'vp9', speed: 'fast' } },
  { container: 'webm', video: { codec: 'av1', speed: 'fast' } },
] as const;

test('a silent film of variable rate shows its last picture to its end', async () => {
  await makeSlides('slides.mp4', [0, 0.04, 0.1, 0.14, 0.5, 0.54, 5, 5.04]);
  const trim = { start: 0.05, end: 4 };
  const made = await encoded('slides.mp4', [
    ...[...outputs, { ...outputs[0], fragmented: true }].map((output) => ({ ...output, trim })),
    { ...outputs[0], trim: { start: 1, end: 4 } },
  ]);
  const seconds = [...outputs.map(() => 3.9), 3.9, 3];
  expect(made.outputs.map(({ duration }) => duration)).toEqual(seconds.map((length) => expect.closeTo(length, 2)));
  for (const [index, length] of seconds.entries()) {
    const path = outputFile('slides.mp4', index);
    expect(await lengthOf(path), path).toBeCloseTo(length, 2);
    expect(await pictureTimes(path), path).toEqual(
      length === 3.9 ? [0, 0.04, 0.4, 0.44].map((time) => expect.closeTo(time, 3)) : [0],
    );
  }
});

test.each(outputs.map(({ container, video }, index) => [index, `${video.codec} in ${container}`]))(
  'the last picture of output %i, %s, keeps its time when it is encoded again',
  async (index) => {
    const source = `out/slides.mp4/${index}`;
    const made = await encoded(source, [{ container: 'mkv', video: { codec: 'ffv1' } }, outputs[0]]);
    expect(made.outputs.map(({ duration }) => duration)).toEqual([expect.closeTo(3.9, 2), expect.closeTo(3.9, 2)]);
    expect(await lengthOf(outputFile(source, 0))).toBeCloseTo(3.9, 2);
    expect(await lengthOf(outputFile(source, 1))).toBeCloseTo(3.9, 2);
  },
);

test.each([
  ['mp4', 0],
  ['mkv', 3],
])('copies from %s show the last picture as long', async (_, index) => {
  const source = `out/slides.mp4/${index}`;
  const copies = [{ container: 'mp4' }, { container: 'mkv' }, { container: 'mov', fragmented: true }] as const;
  const made = await encoded(
    source,
    copies.map((output) => ({ ...output, video: { copy: true } })),
  );
  for (const [place, { duration, streams }] of made.outputs.entries()) {
    expect(streams).toMatchObject([{ copied: true }]);
    expect(duration).toBeCloseTo(3.9, 2);
    const path = outputFile(source, place);
    const { streams: found, format } = await probeAll(path);
    expect(Number(format.duration), path).toBeCloseTo(3.9, 2);
    // ffprobe finds no duration of a stream in Matroska.
    if (place !== 1) expect(Number(found[0]?.duration), path).toBeCloseTo(3.9, 2);
    expect(await pictureTimes(path), path).toEqual([0, 0.04, 0.4, 0.44].map((time) => expect.closeTo(time, 3)));
  }
});

test('a tag of another file, and pictures that cannot be decoded, do not lengthen the last picture', async () => {
  await makeSlides('stale.mkv', [0, 0.04, 0.5, 0.6, 1.5]);
  const bytes = await readFile(file('stale.mkv'));
  bytes.write('00:01:00', bytes.indexOf('00:00:01.'), 'latin1');
  await writeFile(file('stale.mkv'), bytes);
  await makeSlides('whole.mkv', [0, 0.04, 0.5, 0.6, 1.5], [], ['-bf', '0', '-force_key_frames', 'expr:eq(n,2)']);
  await make('late.mkv', '-i', file('whole.mkv'), '-c', 'copy', '-bsf:v', 'noise=drop=eq(n\\,0)');
  const lossless = { container: 'mkv', video: { codec: 'ffv1' } } as const;
  expect((await encoded('stale.mkv', [lossless])).outputs[0]?.duration).toBeCloseTo(1.54, 2);
  expect((await encoded('late.mkv', [lossless])).outputs[0]?.duration).toBeCloseTo(1.04, 2);
});

test('a film of variable rate may last longer than 31 bits of its clock', async () => {
  const times = Array.from({ length: 13 }, (_, index) => 200 * index + (index % 2));
  await makeSlides('minutes.mp4', times, [], ['-bf', '0', '-video_track_timescale', '1000000']);
  // ffmpeg misreads reordered pictures that are more than 28 bits apart.
  await encoded('minutes.mp4', [outputs[2]]);
  expect(await lengthOf(outputFile('minutes.mp4'))).toBeCloseTo(2400.04, 2);
  expect(await pictureTimes(outputFile('minutes.mp4'))).toEqual(times);
});

test('tracks of variable rate in MP4 are as long as their pictures, also beside sound and after a copy', async () => {
  await makeSlides('spoken.mp4', pathological, ['-f', 'lavfi', '-i', 'sine=f=440:r=48000:d=6', '-c:a', 'aac']);
  const trim = { start: 0, end: 5.06 };
  await encoded('spoken.mp4', [
    { ...outputs[0], audio: { codec: 'aac' }, trim },
    { ...outputs[0], audio: false, trim },
  ]);
  const [spoken, silent] = [outputFile('spoken.mp4', 0), outputFile('spoken.mp4', 1)];
  await encoded('out/spoken.mp4/1', [{ container: 'mov', video: { copy: true } }]);
  for (const path of [spoken, silent, outputFile('out/spoken.mp4/1')]) {
    const { streams, format } = await probeAll(path);
    expect(
      streams.map(({ duration }) => Number(duration)),
      path,
    ).toEqual(streams.map(() => expect.closeTo(5.06, 2)));
    expect(Number(format.duration), path).toBeCloseTo(5.06, 2);
    expect(await pictureTimes(path), path).toEqual([0, 5, 5.04]);
  }
});
