import { spawn } from 'node:child_process';
import { projectRoot } from '../../support/project-files.ts';

/** Values of a whole file; null if nothing is loud enough to measure. */
export interface OtherMeters {
  /** LUFS */
  pyloudnorm: number | null;
  /** LUFS */
  libebur128: number | null;
  /** dBTP, by libebur128 */
  truePeak: number;
}

/** The Python that the set-up names has both. */
const python = process.env['LOUDNESS_METERS_PYTHON'] ?? 'python3';

/** Measures a file as ffmpeg decodes it. */
export async function measureByOthers(
  path: string,
  { channels, sampleRate }: { channels: number; sampleRate: number },
): Promise<OtherMeters> {
  const decoder = spawn('ffmpeg', ['-v', 'error', '-nostdin', '-i', path, '-map', '0:a:0', '-f', 'f32le', '-'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const meter = spawn(python, [`${projectRoot}test/media/loudness/meters.py`, `${channels}`, `${sampleRate}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  decoder.stdout.pipe(meter.stdin);
  let answer = '';
  for await (const text of meter.stdout.setEncoding('utf8')) answer += String(text);
  return JSON.parse(answer) as OtherMeters;
}
