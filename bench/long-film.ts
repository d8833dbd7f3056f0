/**
 * Encodes a film of two hours with the workflow `encode`: measures time, memory and whether picture and sound are in
 * sync at the end. `npm run check:long-film -- [minutes] [preset]`, 120 and web-h264-480 by default.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EncodeOutcome } from '../contract/workflow/encode.ts';
import { heardSound, isWhite, shownPictures } from '../test/media/video/shown.ts';
import { makeOnce } from '../test/support/media.ts';
import { run } from '../test/support/process.ts';
import { TestStack } from '../test/support/stack.ts';
import { peakMebibytes, watchMemory } from './process-memory.ts';
import { inUnit, report } from './report.ts';

const [minutesText = '120', preset = 'web-h264-480'] = process.argv.slice(2);
const minutes = Number(minutesText);
/** Second of each minute at which the picture turns white and a clap begins. */
const clapAt = 30.48;
const mostMsOff = 1;
const dayMs = 86_400_000;

async function makeFilm(): Promise<string> {
  const seconds = minutes * 60;
  const flash = `drawbox=c=white:t=fill:enable='lt(mod(t+${60 - clapAt}+1e-4\\,60)\\,0.04)'`;
  const clap = `aevalsrc=if(lt(mod(t+${60 - clapAt}\\,60)\\,0.03)\\,0.8*sin(2*PI*1000*mod(t+${60 - clapAt}\\,60))\\,0.02*sin(2*PI*220*t)):s=44100:d=${seconds}`;
  const film = ['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=25:d=${seconds},${flash}`, '-f', 'lavfi', '-i', clap];
  const codecs = [
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
  ];
  return await makeOnce(`long-film-${minutes}.mp4`, [...film, ...codecs], { timeoutMs: dayMs });
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
  const startMs = performance.now();
  const handle = await stack.run('encode', {
    sourceUrl: container.fileUrl('film.mp4'),
    outputs: [{ preset, uploadUrl: container.fileUrl('made') }],
  });
  const ending = handle.result();
  const ffmpegPeak = await watchMemory(container.scratchDir, ending);
  const { outputs } = EncodeOutcome.parse(await ending);
  const made = join(container.mediaRoot, 'made');
  const seconds = (performance.now() - startMs) / 1000;
  const frames = outputs[0]?.streams?.find((stream) => stream.kind === 'video')?.frames;
  const places = [...new Set([0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * (minutes - 1))))];
  const offMs: number[] = [];
  for (const minute of places) offMs.push(((await offsetAt(made, minute)) - (await offsetAt(film, minute))) * 1000);
  if (!offMs.every((off) => Math.abs(off) <= mostMsOff)) process.exitCode = 1;
  report('long-film', `${minutes} minutes to ${preset}`, {
    'missing pictures': inUnit('count', minutes * 60 * 25 - (frames ?? 0)),
    'sound moved at most': inUnit('ms', Math.max(...offMs.map(Math.abs))),
    time: inUnit('s', seconds),
    "container's memory": inUnit('MiB', peakMebibytes(container.process.pid)),
    "ffmpeg's memory": inUnit('MiB', ffmpegPeak),
  });
  if (frames !== minutes * 60 * 25) process.exitCode = 1;
  await rm(made);
} finally {
  await stack.stop();
}
