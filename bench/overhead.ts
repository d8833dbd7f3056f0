/**
 * What does an encode by a durable workflow cost over plain ffmpeg? Pairs of runs have the same input and the same
 * encoder settings: the `encode` workflow from start to result on a running stack, and ffmpeg alone.
 */
import { link, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { longWav, musicOgg } from '../test/support/media.ts';
import { run } from '../test/support/process.ts';
import { TestStack } from '../test/support/stack.ts';
import { median } from './median.ts';

const inputs = [
  { seconds: 1, pairs: 9 },
  { seconds: 3600, pairs: 3 },
];

async function secondsOf(action: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await action();
  return (performance.now() - startMs) / 1000;
}

const stack = await TestStack.start();
try {
  const { container } = stack;
  for (const { seconds, pairs } of inputs) {
    const input = join(container.mediaRoot, `in-${seconds}.wav`);
    const wav = await longWav({ seconds, channels: 2, source: musicOgg });
    // The media folder may be on another disk than the cache; a link only saves the copy.
    await link(wav, input);
    const target = join(container.mediaRoot, `by-ffmpeg-${seconds}.mp3`);
    const byFfmpeg = () =>
      run('ffmpeg', [
        '-nostdin',
        '-v',
        'error',
        '-y',
        '-i',
        input,
        '-map',
        '0:a:0',
        '-c:a',
        'libmp3lame',
        '-b:a',
        '128k',
        target,
      ]);
    const byHoldfast = async () => {
      const handle = await stack.run('encode', {
        sourceUrl: container.fileUrl(`in-${seconds}.wav`),
        outputs: [{ format: 'mp3_128', uploadUrl: container.fileUrl(`by-holdfast-${seconds}.mp3`) }],
      });
      await handle.result();
    };
    // The first run of each pair pays for cold caches.
    await byFfmpeg();
    if (seconds < 60) await byHoldfast();
    const ratios: number[] = [];
    const differences: number[] = [];
    for (let pair = 0; pair < pairs; pair += 1) {
      const ffmpegFirst = pair % 2 === 0;
      const first = await secondsOf(ffmpegFirst ? byFfmpeg : byHoldfast);
      const second = await secondsOf(ffmpegFirst ? byHoldfast : byFfmpeg);
      const [ffmpeg, holdfast] = ffmpegFirst ? [first, second] : [second, first];
      ratios.push(holdfast / ffmpeg);
      differences.push(holdfast - ffmpeg);
      console.log(`${seconds} s input: ffmpeg ${ffmpeg.toFixed(3)} s, encode ${holdfast.toFixed(3)} s`);
    }
    console.log(
      `${seconds} s input, median of ${pairs} pairs: ${median(ratios).toFixed(3)}x, ${median(differences).toFixed(3)} s more than ffmpeg`,
    );
    await rm(target);
  }
} finally {
  await stack.stop();
}
