/**
 * How many short clips does one container encode? The bench starts an `encode` run for each clip of five seconds at once,
 * and compares the time until the last result with `xargs -P1 ffmpeg` over the same clips. `npm run bench:clips --
 * [clips] [rounds]`, 60 and 3 by default.
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { longWav, musicOgg } from '../test/support/media.ts';
import { run } from '../test/support/process.ts';
import { TestStack } from '../test/support/stack.ts';
import { type Cost, cost } from './cost.ts';
import { inUnit, ratio, report } from './report.ts';

const [clips = 60, rounds = 3] = process.argv.slice(2).map(Number);
const clipSeconds = 5;
const names = Array.from({ length: clips }, (_, index) => `clip-${index}`);

const stack = await TestStack.start();
try {
  const { container } = stack;
  const input = await longWav({ seconds: clipSeconds, channels: 2, source: musicOgg });
  for (const name of names) await copyFile(input, join(container.mediaRoot, `${name}.wav`));

  const byXargs = async (): Promise<void> => {
    const encode = 'ffmpeg -nostdin -v error -y -i {}.wav -c:a libmp3lame -b:a 128k {}-ffmpeg.mp3';
    const script = `cd "$1" && printf '%s\\n' ${names.join(' ')} | xargs -P1 -I{} ${encode}`;
    const { code, output } = await run('sh', ['-c', script, 'sh', container.mediaRoot]);
    if (code !== 0) throw new Error(output);
  };
  const byHoldfast = async (wanted: readonly string[]): Promise<void> => {
    const handles = await Promise.all(
      wanted.map((name) =>
        stack.run('encode', {
          sourceUrl: container.fileUrl(`${name}.wav`),
          outputs: [{ format: 'mp3_128', uploadUrl: container.fileUrl(`${name}.mp3`) }],
        }),
      ),
    );
    await Promise.all(handles.map((handle) => handle.result()));
  };

  // The first runs pay for cold caches.
  await byHoldfast(names.slice(0, 3));
  const [ours, theirs]: [Cost[], Cost[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    theirs.push(await cost(byXargs));
    ours.push(await cost(() => byHoldfast(names)));
  }
  const perMinute = (costs: readonly Cost[]): number[] => costs.map(({ wallSeconds }) => (clips * 60) / wallSeconds);
  const seconds = (costs: readonly Cost[]): number[] => costs.map(({ wallSeconds }) => wallSeconds);
  report('clips', `${clips} clips of ${clipSeconds} s`, {
    'a minute': inUnit('count', ...perMinute(ours).map(Math.round)),
    'a minute by xargs': inUnit('count', ...perMinute(theirs).map(Math.round)),
    time: ratio(seconds(ours), seconds(theirs), 'xargs'),
  });
} finally {
  await stack.stop();
}
