import { expect, test } from 'vitest';
import { lagsOf, type PlacedSound, placedSound } from '../../../media/placed-sound.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { motion, pictureTimes, quickH264 } from '../../../support/films.ts';
import { joinSegments, makePackageOf } from '../package/packages.ts';

// Sound whose packets are lost stays beside its picture in each kind of output.

const service = await useEncodes();
const { container, encoded, file, make, outputFile } = service;

const noise = ['-f', 'lavfi', '-i', 'anoisesrc=r=48000:d=8:seed=5:a=0.9,lowpass=f=600,lowpass=f=600,volume=2'];
const everyFortieth = String.raw`noise=drop='not(mod(n+1\,40))'`;
const firstTwo = String.raw`noise=drop='eq(n\,1)+eq(n\,2)'`;

const pictureSeconds = 1 / 25;

/** Seconds; containers round times to a millisecond. */
const mostSecondsOff = 0.0015;

async function soundOf(path: string): Promise<PlacedSound> {
  const sound = await placedSound(path);
  if (sound === undefined) throw new Error(`${path} has no sound`);
  return sound;
}

function expectInPlace(made: PlacedSound, source: PlacedSound, offset = 0): void {
  const lags = lagsOf(made, source, { offset }).filter(({ likeness }) => likeness > 0.85);
  expect(lags.length).toBeGreaterThanOrEqual(10);
  for (const { at, lag } of lags) expect(Math.abs(lag), `at ${at} s`).toBeLessThanOrEqual(mostSecondsOff);
}

test.each([
  ['AAC in Matroska', 'aac.mkv', ['-c:a', 'aac'], everyFortieth],
  ['PCM in Matroska', 'pcm.mkv', ['-c:a', 'pcm_s16le'], everyFortieth],
  ['AAC in a fragmented MP4', 'aac.mp4', ['-c:a', 'aac', '-movflags', '+frag_keyframe+empty_moov'], firstTwo],
])('keeps lossy sound in its place: %s', async (_, name, args, lost) => {
  const whole = await make(`whole-${name}`, ...motion(8), ...noise, ...quickH264, ...args);
  const movflags = args.slice(2);
  const path = await make(name, '-i', whole, '-c', 'copy', '-bsf:a', lost, ...movflags);
  const source = await soundOf(path);
  const firstPicture = Math.min(...(await pictureTimes(path)));
  // Sound before the first picture: the film begins whole pictures earlier, and repeats it.
  const filmStart = firstPicture - Math.ceil(firstPicture / pictureSeconds - 1e-6) * pictureSeconds;
  await encoded(name, [{ preset: 'web-h264-720' }, { format: 'wav' }]);
  expectInPlace(await soundOf(outputFile(name)), source, filmStart);
  expectInPlace(await soundOf(outputFile(name, 1)), source, filmStart);
  await makePackageOf(service, name, { package: ['hls'], video: { speed: 'fast' }, segmentSeconds: 4 }, name);
  const sound = await joinSegments(file(`out/${name}/a`), ['1.m4s', '2.m4s'], file(`sound-of-${name}`));
  expectInPlace(await soundOf(sound), source, filmStart);
  const chunks = [0, 1].map((index) => ({ index, uploadUrl: container.fileUrl(`chunks-of-${name}/${index}`) }));
  const request = { sourceUrl: container.fileUrl(name), chunkDuration: 5, overlapDuration: 1, chunks };
  const { body } = await container.call('POST', '/chunk', request);
  expect(body, JSON.stringify(body)).toMatchObject({ success: true, totalChunks: 2 });
  for (const [number, { start }] of (body.chunks as { start: number }[]).entries())
    expectInPlace(await soundOf(file(`chunks-of-${name}/${number}`)), source, source.start + start);
});
