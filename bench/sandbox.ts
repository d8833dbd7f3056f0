/**
 * What does ffmpeg's sandbox cost? Compares processor time with and without it, in turns: of a start of ffmpeg, and of
 * an encode of one minute to mp3.
 */
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { guardArguments, guardPath } from '../engine/ffmpeg/guard.ts';
import { longWav, musicOgg } from '../test/support/media.ts';
import { compare, ratio, report } from './report.ts';

const limits = guardArguments('ffmpeg', { maxOutputBytes: 1e10, maxCpuSeconds: 3600, writableFolder: tmpdir() });

/** CPU seconds of successive runs, added up by the shell. */
async function cpuSecondsOf(sandbox: 'auto' | 'off', args: readonly string[], runs: number): Promise<number> {
  const script = 'runs=$1; shift; while [ $runs -gt 0 ]; do "$@" >/dev/null; runs=$((runs - 1)); done; times';
  const command = ['-c', script, 'sh', String(runs), guardPath, ...limits, ...args];
  const env = { ...process.env, FFMPEG_SANDBOX: sandbox };
  const { stdout } = await promisify(execFile)('sh', command, { env });
  const ofChildren = stdout.trim().split('\n').at(-1) ?? '';
  const parts = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}

const input = await longWav({ seconds: 60, channels: 2, source: musicOgg });
const mp3 = ['-c:a', 'libmp3lame', '-b:a', '128k', '-f', 'mp3', '-y', '/dev/null'];
const encode = ['-nostdin', '-v', 'error', '-i', input, ...mp3];

for (const { name, args, runs } of [
  { name: 'start', args: ['-version'], runs: 20 },
  { name: 'encode of 60 s', args: encode, runs: 1 },
]) {
  const [boxed, free]: [number[], number[]] = [[], []];
  for (let pair = 0; pair < 7; pair += 1) {
    boxed.push((await cpuSecondsOf('auto', args, runs)) / runs);
    free.push((await cpuSecondsOf('off', args, runs)) / runs);
  }
  report('sandbox', name, {
    more: compare('ms', boxed, free, (own, other) => (own - other) * 1000, 'ffmpeg without the sandbox'),
    CPU: ratio(boxed, free, 'ffmpeg without the sandbox'),
  });
}
