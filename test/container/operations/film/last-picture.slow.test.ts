import { expect, test } from 'vitest';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import { motion, pictureTimes, quickH264 } from '../../../support/films.ts';

const { encoded, make, outputFile } = await useEncodes();

/** Film of these times in seconds, with B-frames; `sound` is further arguments of ffmpeg. */
async function makeSlides(name: string, times: readonly number[], sound: readonly string[] = []): Promise<void> {
  const places = times.map((time, index) => `eq(N,${index})*${time}`).join('+');
  await make(
    name,
    ...[...motion(times.length / 25), ...sound, '-vf', `settb=1/1000,setpts=(${places.replaceAll(',', '\\,')})/TB`],
    ...['-fps_mode', 'vfr', '-enc_time_base', '1/1000', '-video_track_timescale', '1000', ...quickH264],
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
    ...outputs.map((output) => ({ ...output, trim })),
    { ...outputs[0], trim: { start: 1, end: 4 } },
  ]);
  const seconds = [...outputs.map(() => 3.9), 3];
  expect(made.outputs.map(({ duration }) => duration)).toEqual(seconds.map((length) => expect.closeTo(length, 2)));
  for (const [index, length] of seconds.entries()) {
    const path = outputFile('slides.mp4', index);
    expect(await lengthOf(path), path).toBeCloseTo(length, 2);
    expect(await pictureTimes(path), path).toEqual(
      index < outputs.length ? [0, 0.04, 0.4, 0.44].map((time) => expect.closeTo(time, 3)) : [0],
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
