import { run } from '../support/process.ts';

/** Values of ffmpeg's meter for a whole file, with its own gating. */
export interface MeterFacts {
  /** LUFS; -70 if nothing passes the gate. */
  integrated: number;
  /** dBTP */
  truePeak: number;
  /** LU */
  range: number;
}

/** Measures a decoded file with ffmpeg; all loudness tests rely on this value. */
export async function meterOf(path: string): Promise<MeterFacts> {
  const filters = 'ebur128=peak=true:metadata=1,ametadata=print:file=-';
  const args = ['-v', 'error', '-nostdin', '-i', path, '-map', '0:a:0', '-af', filters, '-f', 'null', '-'];
  const { code, output } = await run('ffmpeg', args);
  if (code !== 0) throw new Error(`ffmpeg cannot measure ${path}: ${output}`);
  const last = (key: string): number => Number(output.slice(output.lastIndexOf(`${key}=`)).split(/[=\n]/)[1]);
  return {
    integrated: last('lavfi.r128.I'),
    truePeak: 20 * Math.log10(last('lavfi.r128.true_peak')),
    range: last('lavfi.r128.LRA'),
  };
}
