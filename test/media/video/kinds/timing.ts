import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileOf, joined, muxed, type Recipe, transcoded, words } from '../../recipe.ts';
import { film } from '../film.ts';
import { filmKind } from '../film-kind.ts';
import { h264Aac, quickH264 } from './containers.ts';

const execute = promisify(execFile);

const at = (rate: string, seconds = 3) => transcoded(film({ rate, seconds }), '.mp4', ...h264Aac);
const uncut = transcoded(film({ seconds: 4 }), '.mp4', ...h264Aac);
/** Irregularly missing pictures, as phones produce in the dark. */
const uneven = ['-vf', "select='not(eq(mod(n\\,7)\\,3)+eq(mod(n\\,11)\\,5))'", '-fps_mode', 'vfr'];
const tsOf = (offset: string) => transcoded(film({ seconds: 1 }), '.ts', ...h264Aac, '-output_ts_offset', offset);

/** Starts later by an edit list and keeps the preceding packets that decoding needs. */
function cut(fromSeconds: number, keyDistance: string): Recipe {
  const whole = transcoded(film({ seconds: 4 }), '.mp4', ...h264Aac, '-g', keyDistance);
  return {
    key: `cut ${fromSeconds} (${whole.key})`,
    extension: '.mp4',
    async write(path) {
      const args = ['-v', 'error', '-ss', String(fromSeconds), '-i', await fileOf(whole), '-c', 'copy', path];
      await execute('ffmpeg', args);
    },
  };
}

export const timingKinds = [
  ...['1', '12.5', '24000/1001', '30000/1001', '50', '60000/1001', '120'].map((rate) =>
    filmKind(`timing/${rate.replace('/', ' in ')} a second`, at(rate, rate === '1' ? 8 : rate === '120' ? 2 : 3)),
  ),
  filmKind('timing/uneven in mp4', transcoded(film(), '.mp4', ...uneven, ...h264Aac)),
  filmKind('timing/uneven in matroska', transcoded(film(), '.mkv', ...uneven, ...quickH264, '-c:a', 'libopus')),
  filmKind(
    'timing/uneven in a clock of milliseconds',
    transcoded(film({ rate: '30000/1001' }), '.mp4', ...uneven, ...h264Aac, '-video_track_timescale', '1000'),
  ),
  filmKind(
    'timing/a constant rate in a clock of 600',
    transcoded(film({ rate: '30000/1001' }), '.mov', ...h264Aac, '-video_track_timescale', '600'),
  ),
  filmKind(
    'timing/a rate that changes in the middle',
    transcoded(
      film({ rate: '50' }),
      '.mp4',
      '-vf',
      "select='lt(n\\,75)+not(mod(n\\,2))'",
      '-fps_mode',
      'vfr',
      ...h264Aac,
    ),
  ),
  filmKind(
    'timing/a long pause between two pictures',
    transcoded(film({ seconds: 4 }), '.mp4', '-vf', "select='lt(t\\,1)+gt(t\\,2.9)'", '-fps_mode', 'vfr', ...h264Aac),
  ),
  filmKind('timing/cut by an edit list', cut(0.8, '250')),
  filmKind('timing/cut by an edit list with key frames after it', cut(0.8, '25')),
  filmKind('timing/cut by an edit list between two pictures', cut(0.81, '25')),
  filmKind(
    'timing/pictures that begin late',
    muxed([film(), film()], '.mkv', ...words('-map 0:a -map 1:v -vf setpts=PTS+0.32/TB'), ...quickH264, '-c:a', 'flac'),
  ),
  filmKind(
    'timing/pictures that begin between two pictures of the sound',
    muxed([film(), film()], '.mkv', ...words('-map 0:a -map 1:v -vf setpts=PTS+0.11/TB'), ...quickH264, '-c:a', 'flac'),
  ),
  filmKind(
    'timing/no key frame at the start',
    transcoded(
      transcoded(film({ seconds: 4 }), '.mkv', ...quickH264, '-g', '25', '-c:a', 'flac'),
      '.mkv',
      ...words('-c copy -bsf:v noise=drop=eq(n\\,0)'),
    ),
  ),
  filmKind(
    'timing/sound that begins late',
    transcoded(film(), '.mkv', '-af', 'atrim=start=0.3', ...quickH264, '-c:a', 'flac'),
  ),
  filmKind(
    'timing/stamps before zero',
    transcoded(film(), '.mp4', ...h264Aac, '-output_ts_offset', '-0.2', '-avoid_negative_ts', 'disabled'),
  ),
  filmKind('timing/ten hours after zero', tsOf('36000')),
  filmKind('timing/a clock that begins anew', tsOf('95442.5')),
  filmKind(
    'timing/open groups of pictures',
    transcoded(film(), '.ts', ...quickH264, '-x264-params', 'open-gop=1:keyint=12:bframes=2', '-c:a', 'mp2'),
  ),
  filmKind('timing/one group of pictures', transcoded(film(), '.mp4', ...h264Aac, '-g', '999')),
  filmKind(
    'timing/pyramid of B-frames',
    transcoded(
      film(),
      '.mp4',
      ...words(
        '-c:v libx264 -preset veryfast -bf 7 -x264-params b-pyramid=normal:b-adapt=0 -crf 12 -pix_fmt yuv420p -c:a aac',
      ),
    ),
  ),
  filmKind('timing/a gap of three seconds', joined(tsOf('0'), tsOf('4'))),
  filmKind('timing/one picture', transcoded(film({ seconds: 0.04, hasSound: false }), '.mp4', ...quickH264)),
  filmKind('timing/two pictures', transcoded(film({ seconds: 0.08, hasSound: false }), '.mkv', ...quickH264)),
  filmKind('timing/uncut', uncut),
];
