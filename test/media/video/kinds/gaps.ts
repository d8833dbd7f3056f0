import { edited, type Recipe, transcoded, words } from '../../recipe.ts';
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

const mpeg2 = words('-c:v mpeg2video -q:v 2 -bf 2 -g 12 -c:a mp2');

/** Some decoders return pictures late or invent some. The late ones are left out, as players do. */
const rising = { isNoise: true, isDamaged: true, referenceFilters: ['select=not(lte(pts\\,prev_selected_pts))'] };

/** Leaves out every nth packet of 188 bytes after the start. */
function lossyBroadcast(bytes: Buffer, n: number): Buffer {
  const packets = Array.from({ length: Math.floor(bytes.length / 188) }, (_, index) =>
    bytes.subarray(index * 188, (index + 1) * 188),
  );
  return Buffer.concat(packets.filter((_, index) => index < 60 || index % n !== 0));
}

const webm = ['-c:v', 'libvpx', '-crf', '4', '-b:v', '4M', '-cpu-used', '8'];

export const gapKinds = [
  gapKind('.mp4', 'aac', everyFortieth),
  gapKind('.mp4', 'aac', someOf(0.05)),
  gapKind('.mp4', 'aac', 'eq(n\\,1)+eq(n\\,2)'),
  gapKind('.mov', 'pcm_s16le', someOf(0.01)),
  gapKind('.mkv', 'aac', everyFortieth),
  gapKind('.mkv', 'pcm_s16le', someOf(0.01)),
  gapKind('.mkv', 'libmp3lame', someOf(0.03)),
  gapKind('.mkv', 'ac3', everyFortieth),
  gapKind('.mkv', 'flac', everyFortieth),
  gapKind('.webm', 'libopus', someOf(0.05), webm),
  gapKind('.webm', 'libvorbis', everyFortieth, webm),
  gapKind('.ts', 'aac', everyFortieth),
  filmKind(
    'gaps/lost packets of aac in a fragmented mp4',
    transcoded(
      transcoded(noisy, '.mp4', ...quickH264, '-c:a', 'aac'),
      '.mp4',
      ...['-c', 'copy', '-bsf:a', "noise=drop='eq(n\\,1)+eq(n\\,2)'", '-movflags', '+frag_keyframe+empty_moov'],
    ),
    { isNoise: true },
  ),
  filmKind(
    'gaps/lost pictures of mpeg2 in mkv',
    transcoded(transcoded(noisy, '.mkv', ...mpeg2), '.mkv', '-c', 'copy', '-bsf:v', `noise=drop='${someOf(0.05)}'`),
    // The grid of another rate repeats the picture before a late one.
    { ...rising, tolerance: 6, isQuick: true },
  ),
  filmKind(
    'gaps/lost pictures of mpeg4 in avi',
    transcoded(
      transcoded(noisy, '.avi', ...words('-c:v mpeg4 -q:v 2 -bf 2 -g 12 -c:a libmp3lame')),
      '.avi',
      ...['-c', 'copy', '-bsf:v', "noise=drop='eq(n\\,30)+eq(n\\,77)+eq(n\\,78)'"],
    ),
    { ...rising, lateSeconds: 0.04, tolerance: 6 },
  ),
  filmKind(
    'gaps/lost packets of mpeg2 in ts',
    edited(transcoded(noisy, '.ts', ...mpeg2), (bytes) => lossyBroadcast(bytes, 97), lossyBroadcast.toString()),
    // Decoders with other numbers of threads conceal damage differently.
    { ...rising, tolerance: 40 },
  ),
];
