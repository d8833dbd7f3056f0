/**
 * Encodes a film of two hours with the workflow `encode`: measures time, memory and whether picture and sound are in
 * sync at the end. `npm run check:long-film -- [minutes] [preset]`, 120 and web-h264-480 by default.
 */
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { EncodeOutcome } from '../contract/workflow/encode.ts';
import { heardSound, isWhite, shownPictures } from '../test/media/video/shown.ts';
import { run } from '../test/support/process.ts';
import { TestStack } from '../test/support/stack.ts';
import { peakMebibytes, watchMemory } from './process-memory.ts';

const [minutesText = '120', preset = 'web-h264-480'] = process.argv.slice(2);
const minutes = Number(minutesText);
/** Second of each minute at which the picture turns white and a clap begins. */
const clapAt = 30.48;
const mostSecondsOff = 0.001;
const dayMs = 86_400_000;

async function ffmpeg(args: readonly string[]): Promise<void> {
  const { code, output } = await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args], { timeoutMs: dayMs });
  if (code !== 0) throw new Error(output);
}

async function makeFilm(): Promise<string> {
  const folder = join(tmpdir(), 'holdfast-test-media');
  const path = join(folder, `long-film-${minutes}.mp4`);
  if ((await stat(path).catch(() => undefined)) !== undefined) return path;
  await mkdir(folder, { recursive: true });
  const seconds = minutes * 60;
  const flash = `drawbox=c=white:t=fill:enable='lt(mod(t+${60 - clapAt}+1e-4\\,60)\\,0.04)'`;
  const clap = `aevalsrc=if(lt(mod(t+${60 - clapAt}\\,60)\\,0.03)\\,0.8*sin(2*PI*1000*mod(t+${60 - clapAt}\\,60))\\,0.02*sin(2*PI*220*t)):s=44100:d=${seconds}`;
  const partial = join(folder, `${process.pid}-long-film.mp4`);
  await ffmpeg([
    ...['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=25:d=${seconds},${flash}`, '-f', 'lavfi', '-i', clap],
    ...[
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-crf',
      '20',
      '-pix_fmt',
      'yuv420p',
      '-c:a',
      'aac',
      '-ac',
      '2',
      partial,
    ],
  ]);
  await rename(partial, path);
  return path;
}

/** Seconds by which the clap of a minute follows its white picture. */
async function offsetAt(path: string, minute: number): Promise<number> {
  const from = minute * 60 + clapAt - 2;
  const part = ['-ss', String(from), '-t', '4'];
  const flash = (await shownPictures(path, [], part)).find(isWhite);
  const sound = await heardSound(path, 0, part);
  return (sound?.claps[0] ?? Number.NaN) - (flash?.time ?? Number.NaN);
}

const film = await makeFilm();
const stack = await TestStack.start({ containerEnvironment: { JOB_TIMEOUT_SECONDS: '86400' } });
try {
  const { container } = stack;
  await run('ln', [film, join(container.mediaRoot, 'film.mp4')]);
  console.log(`${minutes} minutes to ${preset}. Load before: ${(loadavg()[0] ?? 0).toFixed(1)}`);
  const startMs = performance.now();
  const handle = await stack.run('encode', {
    sourceUrl: container.fileUrl('film.mp4'),
    outputs: [{ preset, uploadUrl: container.fileUrl('made') }],
  });
  const ending = handle.result();
  const ffmpegPeak = await watchMemory(container.scratchDir, ending);
  const { outputs } = EncodeOutcome.parse(await ending);
  const made = join(container.mediaRoot, 'made');
  console.log(`took ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  console.log(
    `peak memory: Node ${peakMebibytes(container.process.pid).toFixed(0)} MiB, ffmpeg ${ffmpegPeak.toFixed(0)} MiB`,
  );
  const [output] = outputs;
  const frames = output?.streams?.find((stream) => stream.kind === 'video')?.frames;
  console.log(`${frames} pictures of ${minutes * 60 * 25}, ${output?.duration} s, ${output?.size} bytes`);
  const places = [...new Set([0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * (minutes - 1))))];
  for (const minute of places) {
    const [was, is] = [await offsetAt(film, minute), await offsetAt(made, minute)];
    const offMs = (is - was) * 1000;
    console.log(`minute ${minute}: sound is ${offMs.toFixed(3)} ms from where it was beside its picture`);
    if (!(Math.abs(is - was) <= mostSecondsOff)) process.exitCode = 1;
  }
  if (frames !== minutes * 60 * 25) process.exitCode = 1;
  await rm(made);
} finally {
  await stack.stop();
}
