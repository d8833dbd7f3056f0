/**
 * What does an encode by a durable workflow cost over plain ffmpeg? Pairs of runs have the same input and the same
 * encoder settings: the `encode` workflow from start to result on a running stack, and ffmpeg alone.
 */
import { link, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { longWav, musicOgg } from '../test/support/media.ts';
import { run } from '../test/support/process.ts';
import { TestStack } from '../test/support/stack.ts';
import { type Cost, cost } from './cost.ts';
import { more, ratios, report } from './report.ts';

const inputs = [
  { seconds: 1, pairs: 9 },
  { seconds: 3600, pairs: 5 },
];

const stack = await TestStack.start();
try {
  const { container } = stack;
  for (const { seconds, pairs } of inputs) {
    const input = join(container.mediaRoot, `in-${seconds}.wav`);
    const wav = await longWav({ seconds, channels: 2, source: musicOgg });
    // The media folder may be on another disk than the cache; a link only saves the copy.
    await link(wav, input);
    const target = join(container.mediaRoot, `by-ffmpeg-${seconds}.mp3`);
    const options = [
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
    ];
    const byFfmpeg = () => run('ffmpeg', [...options, target]);
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
    const [ours, theirs]: [Cost[], Cost[]] = [[], []];
    for (let pair = 0; pair < pairs; pair += 1) {
      const ffmpegFirst = pair % 2 === 0;
      if (ffmpegFirst) theirs.push(await cost(byFfmpeg));
      ours.push(await cost(byHoldfast));
      if (!ffmpegFirst) theirs.push(await cost(byFfmpeg));
    }
    report('overhead', `${seconds} s`, { time: ratios(ours, theirs).time, more: more(ours, theirs) });
    await rm(target);
  }
} finally {
  await stack.stop();
}
