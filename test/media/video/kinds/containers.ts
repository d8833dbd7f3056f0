import { transcoded } from '../../recipe.ts';
import { film } from '../film.ts';
import { filmKind } from '../film-kind.ts';

/** H.264 that is cheap to encode, with B-frames and a key frame each second. */
export const quickH264 = [
  ...['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-g', '25', '-sc_threshold', '0'],
  ...['-pix_fmt', 'yuv420p', '-crf', '12'],
];
export const h264Aac = [...quickH264, '-c:a', 'aac', '-b:a', '128k'];

const mpeg2 = ['-c:v', 'mpeg2video', '-q:v', '2', '-bf', '2', '-g', '12'];

/** AVI has no place for the headers of H.264 outside its packets. */
const annexB = ['-c', 'copy', '-bsf:v', 'h264_mp4toannexb'];

export const containerKinds = [
  filmKind('container/mp4', transcoded(film(), '.mp4', ...h264Aac)),
  filmKind('container/mp4 index first', transcoded(film(), '.mp4', ...h264Aac, '-movflags', '+faststart')),
  filmKind(
    'container/mp4 fragmented',
    transcoded(film(), '.mp4', ...h264Aac, '-movflags', '+frag_keyframe+empty_moov+default_base_moof'),
  ),
  filmKind(
    'container/mp4 fragmented with delayed header',
    transcoded(film(), '.mp4', ...h264Aac, '-movflags', '+frag_keyframe+delay_moov'),
  ),
  filmKind('container/mov', transcoded(film(), '.mov', ...quickH264, '-c:a', 'pcm_s16le')),
  filmKind('container/mkv', transcoded(film(), '.mkv', ...quickH264, '-c:a', 'flac')),
  filmKind('container/mkv by live muxer', transcoded(film(), '.mkv', ...quickH264, '-c:a', 'libopus', '-live', '1')),
  filmKind('container/flv', transcoded(film(), '.flv', ...h264Aac, '-ar', '44100')),
  filmKind('container/ts', transcoded(film(), '.ts', ...h264Aac)),
  filmKind('container/m2ts', transcoded(film(), '.m2ts', ...quickH264, '-c:a', 'ac3')),
  filmKind('container/3gp', transcoded(film({ size: '176x144' }), '.3gp', ...h264Aac)),
  filmKind('container/avi', transcoded(film(), '.avi', ...quickH264, '-c:a', 'libmp3lame'), { lateSeconds: 0.08 }),
  filmKind(
    'container/avi without reordered pictures',
    transcoded(film(), '.avi', ...quickH264, '-bf', '0', '-c:a', 'libmp3lame'),
  ),
  filmKind(
    'container/avi copied from matroska',
    transcoded(transcoded(film(), '.mkv', ...quickH264, '-c:a', 'libmp3lame'), '.avi', ...annexB),
    // It has two ticks for each picture, and plain ffmpeg places the last two pictures one tick apart.
    {
      lateSeconds: 0.08,
      referenceFilters: ['setpts=if(isnan(PREV_OUTPTS)\\,PTS\\,max(PTS\\,PREV_OUTPTS+2))'],
      isQuick: true,
    },
  ),
  filmKind('container/mpg program stream', transcoded(film(), '.mpg', ...mpeg2, '-c:a', 'mp2')),
  filmKind('container/vob', transcoded(film(), '.vob', ...mpeg2, '-c:a', 'ac3')),
  filmKind('container/mxf', transcoded(film(), '.mxf', ...mpeg2, '-bf', '0', '-c:a', 'pcm_s16le')),
  filmKind('container/nut', transcoded(film(), '.nut', ...h264Aac)),
  filmKind('container/wmv', transcoded(film(), '.wmv', '-c:v', 'wmv2', '-q:v', '2', '-c:a', 'wmav2')),
  filmKind('container/ogv', transcoded(film(), '.ogv', '-c:v', 'libtheora', '-q:v', '10', '-c:a', 'libvorbis')),
  filmKind(
    'container/webm',
    transcoded(film(), '.webm', '-c:v', 'libvpx', '-crf', '4', '-b:v', '4M', '-cpu-used', '8', '-c:a', 'libvorbis'),
  ),
  filmKind('container/gif', transcoded(film({ hasSound: false }), '.gif'), { leastLikeness: 18 }),
];
