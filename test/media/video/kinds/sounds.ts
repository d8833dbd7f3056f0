import { edited, muxed, shortened, transcoded } from '../../recipe.ts';
import { film } from '../film.ts';
import { filmKind } from '../film-kind.ts';
import { h264Aac, quickH264 } from './containers.ts';

const sound = (extension: string, ...codec: string[]) => transcoded(film(), extension, ...quickH264, ...codec);
/** Inserts bursts of wrong bytes in the middle. */
function damage(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let place = Math.floor(copy.length * 0.4); place < copy.length * 0.8; place += Math.floor(copy.length / 12)) {
    copy.fill(0x5a, place, place + 200);
  }
  return copy;
}
/** Removes the first independently decodable picture. */
function beheaded(bytes: Buffer): Buffer {
  return bytes.subarray(188 * 60);
}

export const soundKinds = [
  filmKind('sound/none', transcoded(film({ hasSound: false }), '.mp4', ...quickH264)),
  filmKind('sound/longer than the pictures', transcoded(film({ seconds: 2, soundSeconds: 3.5 }), '.mp4', ...h264Aac)),
  filmKind('sound/shorter than the pictures', transcoded(film({ soundSeconds: 1.6 }), '.mp4', ...h264Aac)),
  filmKind('sound/ac3', sound('.mkv', '-c:a', 'ac3')),
  filmKind('sound/eac3', sound('.ts', '-c:a', 'eac3')),
  filmKind('sound/mp3 in mp4', sound('.mp4', '-c:a', 'libmp3lame')),
  filmKind('sound/alac', sound('.mov', '-c:a', 'alac')),
  filmKind('sound/opus in mp4', sound('.mp4', '-c:a', 'libopus')),
  filmKind('sound/dts', sound('.mkv', '-c:a', 'dca')),
  filmKind('sound/six channels', sound('.mp4', '-ac', '6', '-c:a', 'aac')),
  filmKind(
    'sound/a track without a packet',
    transcoded(film(), '.mkv', '-af', 'atrim=end=0', ...quickH264, '-c:a', 'libopus'),
  ),
  filmKind(
    'sound/two tracks',
    muxed([film(), film()], '.mp4', '-map', '0:v', '-map', '0:a', '-map', '1:a', ...h264Aac),
  ),
];

const damaged = { isDamaged: true, tolerance: 30 };

export const damagedKinds = [
  filmKind(
    'damaged/half an mp4 with its index first',
    shortened(transcoded(film({ seconds: 6 }), '.mp4', ...h264Aac, '-movflags', '+faststart'), 0.5),
    { refused: 'source_truncated' },
  ),
  filmKind('damaged/half an mp4 with its index last', shortened(transcoded(film(), '.mp4', ...h264Aac), 0.5), {
    refused: 'undecodable_source',
  }),
  filmKind(
    'damaged/half a matroska file',
    shortened(transcoded(film({ seconds: 8 }), '.mkv', ...quickH264, '-c:a', 'flac'), 0.5),
    { refused: 'source_truncated' },
  ),
  filmKind(
    'damaged/half an avi',
    shortened(transcoded(film({ seconds: 8 }), '.avi', ...quickH264, '-c:a', 'libmp3lame'), 0.5),
    { refused: 'source_truncated' },
  ),
  filmKind('damaged/half a transport stream', shortened(transcoded(film({ seconds: 4 }), '.ts', ...h264Aac), 0.5)),
  filmKind(
    'damaged/half a flash film',
    shortened(transcoded(film({ seconds: 8 }), '.flv', ...h264Aac, '-ar', '44100'), 0.5),
    { refused: 'source_truncated' },
  ),
  filmKind(
    'damaged/wrong bytes in a transport stream',
    edited(transcoded(film({ seconds: 6 }), '.ts', ...h264Aac), damage),
    damaged,
  ),
  filmKind(
    'damaged/wrong bytes in an mp4',
    edited(transcoded(film({ seconds: 6 }), '.mp4', ...h264Aac), damage),
    damaged,
  ),
  filmKind(
    'damaged/wrong bytes in matroska',
    edited(transcoded(film({ seconds: 6 }), '.mkv', ...quickH264, '-c:a', 'flac'), damage),
    damaged,
  ),
  filmKind(
    'damaged/a transport stream that begins in the middle',
    edited(transcoded(film({ seconds: 4 }), '.ts', ...h264Aac), beheaded),
  ),
];
