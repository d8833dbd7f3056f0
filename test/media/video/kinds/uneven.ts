import { transcoded } from '../../recipe.ts';
import { film } from '../film.ts';
import { filmKind } from '../film-kind.ts';
import { h264Aac, quickH264 } from './containers.ts';

const kept = ['-fps_mode', 'passthrough', '-enc_time_base', '1:90000'];
/** A silent film with display times by an ffmpeg expression. */
const at = (extension: string, expression: string, ...codec: string[]) =>
  transcoded(
    film({ hasSound: false }),
    extension,
    ...['-vf', `settb=1/90000,setpts='${expression}'`, ...kept],
    ...(codec.length === 0 ? quickH264 : codec),
  );
const vp8 = ['-c:v', 'libvpx', '-crf', '4', '-b:v', '4M', '-cpu-used', '8'];

export const unevenKinds = [
  filmKind('uneven/a screen that stands still for 20 seconds', at('.mp4', 'PTS+if(gt(N,30),20*90000,0)'), {
    standsStill: true,
  }),
  filmKind(
    'uneven/120 a second, then 24',
    transcoded(film({ rate: '120', seconds: 2 }), '.mp4', '-vf', "select='lt(t,1)+not(mod(n,5))'", ...kept, ...h264Aac),
  ),
  filmKind(
    'uneven/240 a second in bursts',
    transcoded(
      film({ rate: '240', seconds: 1 }),
      '.mov',
      ...['-vf', "select='lt(mod(t,0.5),0.2)+not(mod(n,8))'", ...kept, ...quickH264, '-c:a', 'pcm_s16le'],
    ),
  ),
  filmKind('uneven/a picture long before its end', at('.mp4', 'PTS+if(gt(N,73),5*90000,0)')),
  filmKind('uneven/stamps beside those of a rate', at('.ts', 'N*3003+mod(N*7919,801)-400+9000')),
  filmKind('uneven/a clock of milliseconds', at('.webm', 'N*1501.5+floor((N+3)/9)*2700', ...vp8)),
  filmKind(
    'uneven/two pictures a long time apart',
    transcoded(
      film({ seconds: 0.08, hasSound: false }),
      '.mp4',
      ...['-vf', "settb=1/90000,setpts='N*3*90000'", ...kept, ...quickH264],
    ),
  ),
  filmKind('uneven/pairs', at('.mkv', 'N*3600+if(mod(N,2),-2700,0)')),
  filmKind('uneven/faster and faster', at('.mp4', '90000*3*(1-pow(1-N/80,2))')),
  filmKind(
    'uneven/windows media',
    transcoded(
      film(),
      '.wmv',
      ...['-vf', "select='not(eq(mod(n,7),3)+eq(mod(n,11),5))'", '-fps_mode', 'vfr'],
      ...['-c:v', 'wmv2', '-q:v', '2', '-c:a', 'wmav2'],
    ),
  ),
  filmKind(
    'uneven/pictures that have the time of the one before',
    transcoded(
      at('.mkv', 'N*3003+mod(N*7919,801)-400+9000', ...quickH264, '-bf', '0'),
      '.mkv',
      ...['-c', 'copy', '-bsf:v', "setts=pts='if(eq(N,20)+eq(N,33)+eq(N,34),PREV_OUTPTS,PTS)':dts=DTS-300"],
    ),
    { referenceFilters: ['select=isnan(prev_pts)+gt(pts\\,prev_pts)'] },
  ),
  filmKind('uneven/a slide each half second', at('.mkv', 'N*45000')),
];
