import { type Recipe, transcoded } from '../../recipe.ts';
import { film } from '../film.ts';
import { filmKind } from '../film-kind.ts';
import { quickH264 } from './containers.ts';

const noisy = film({ seconds: 8, isNoise: true });

/** Copies a film without the sound packets for which the expression is true. */
const lossy = (whole: Recipe, drop: string): Recipe =>
  transcoded(whole, whole.extension, '-c', 'copy', '-bsf:a', `noise=drop='${drop}'`);

const everyFortieth = 'not(mod(n+1\\,40))';
const someOf = (share: number): string => `lt(random(0)\\,${share})`;

function gapKind(extension: string, codec: string, drop: string, video = quickH264) {
  const whole = transcoded(noisy, extension, ...video, '-c:a', codec);
  return filmKind(`gaps/${codec} in ${extension.slice(1)}, ${drop}`, lossy(whole, drop), { isNoise: true });
}

const webm = ['-c:v', 'libvpx', '-crf', '4', '-b:v', '4M', '-cpu-used', '8'];

export const gapKinds = [
  gapKind('.mp4', 'aac', everyFortieth),
  gapKind('.mp4', 'aac', someOf(0.05)),
  gapKind('.mp4', 'aac', 'eq(n\\,1)+eq(n\\,2)'),
  gapKind('.mov', 'pcm_s16le', someOf(0.01)),
  gapKind('.mkv', 'aac', everyFortieth),
  gapKind('.mkv', 'libmp3lame', someOf(0.03)),
  gapKind('.mkv', 'ac3', everyFortieth),
  gapKind('.mkv', 'flac', everyFortieth),
  gapKind('.webm', 'libopus', someOf(0.05), webm),
  gapKind('.webm', 'libvorbis', everyFortieth, webm),
  gapKind('.ts', 'aac', everyFortieth),
];
