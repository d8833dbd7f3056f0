import { transcoded, words } from '../../recipe.ts';
import { film } from '../film.ts';
import { filmKind } from '../film-kind.ts';
import { quickH264 } from './containers.ts';

const opus = ['-c:a', 'libopus'];
const pcm = ['-c:a', 'pcm_s16le'];
const mp3 = ['-c:a', 'libmp3lame'];
const uhd = ['-color_primaries', 'bt2020', '-colorspace', 'bt2020nc'];

export const codecKinds = [
  filmKind(
    'codec/hevc in ts',
    transcoded(
      film({ seconds: 6, hasSound: false }),
      '.ts',
      ...words('-c:v libx265 -preset ultrafast -x265-params log-level=error:keyint=25 -crf 12'),
    ),
  ),
  filmKind(
    'codec/hevc',
    transcoded(film(), '.mp4', '-c:v', 'libx265', '-preset', 'ultrafast', '-crf', '12', '-tag:v', 'hvc1'),
  ),
  filmKind(
    'codec/hevc of 10 bits',
    transcoded(film(), '.mkv', ...words('-c:v libx265 -preset ultrafast -crf 12 -pix_fmt yuv420p10le'), ...opus),
  ),
  filmKind(
    'codec/vp9',
    transcoded(film(), '.webm', ...words('-c:v libvpx-vp9 -crf 15 -b:v 0 -cpu-used 8 -deadline realtime'), ...opus),
  ),
  filmKind(
    'codec/vp9 with hidden pictures',
    transcoded(
      film(),
      '.webm',
      ...words('-c:v libvpx-vp9 -crf 15 -b:v 0 -cpu-used 5 -auto-alt-ref 1 -lag-in-frames 16'),
      ...opus,
    ),
  ),
  filmKind(
    'codec/vp8 in matroska',
    transcoded(
      film(),
      '.mkv',
      ...words('-c:v libvpx -crf 4 -b:v 4M -cpu-used 8 -auto-alt-ref 1 -lag-in-frames 12'),
      ...opus,
    ),
  ),
  filmKind('codec/av1', transcoded(film(), '.mkv', '-c:v', 'libsvtav1', '-preset', '12', '-crf', '20', ...opus)),
  filmKind(
    'codec/av1 in mp4',
    transcoded(film(), '.mp4', '-c:v', 'libsvtav1', '-preset', '12', '-crf', '20', '-c:a', 'aac'),
  ),
  filmKind('codec/mpeg1', transcoded(film(), '.mpg', '-c:v', 'mpeg1video', '-q:v', '2', '-bf', '2', '-c:a', 'mp2')),
  filmKind(
    'codec/mpeg2 of 4:2:2',
    transcoded(film(), '.ts', '-c:v', 'mpeg2video', '-pix_fmt', 'yuv422p', '-q:v', '2', '-bf', '2', '-c:a', 'mp2'),
  ),
  filmKind(
    'codec/mpeg4 with B-frames in avi',
    transcoded(film(), '.avi', '-c:v', 'mpeg4', '-q:v', '2', '-bf', '2', ...mp3),
    { lateSeconds: 0.04 },
  ),
  filmKind(
    'codec/mpeg4 as DivX has it',
    transcoded(film(), '.avi', '-c:v', 'mpeg4', '-vtag', 'DX50', '-q:v', '2', ...mp3),
  ),
  filmKind('codec/mpeg4 in mp4', transcoded(film(), '.mp4', '-c:v', 'mpeg4', '-q:v', '2', '-bf', '1', '-c:a', 'aac')),
  filmKind('codec/prores 422', transcoded(film(), '.mov', '-c:v', 'prores_ks', '-profile:v', '2', ...pcm)),
  filmKind(
    'codec/prores 4444 with transparency',
    transcoded(film(), '.mov', '-c:v', 'prores_ks', '-profile:v', '4', '-pix_fmt', 'yuva444p10le', ...pcm),
  ),
  filmKind(
    'codec/dnxhr',
    transcoded(film({ size: '256x144' }), '.mov', ...words('-c:v dnxhd -profile:v dnxhr_sq -pix_fmt yuv422p'), ...pcm),
  ),
  filmKind(
    'codec/dnxhr in mxf',
    transcoded(film({ size: '256x144' }), '.mxf', ...words('-c:v dnxhd -profile:v dnxhr_sq -pix_fmt yuv422p'), ...pcm),
  ),
  filmKind(
    'codec/mjpeg in avi',
    transcoded(film(), '.avi', '-c:v', 'mjpeg', '-q:v', '2', '-pix_fmt', 'yuvj422p', ...pcm),
  ),
  filmKind(
    'codec/mjpeg of a camera',
    transcoded(film(), '.mov', '-c:v', 'mjpeg', '-q:v', '2', '-pix_fmt', 'yuvj420p', ...pcm),
  ),
  filmKind('codec/ffv1', transcoded(film(), '.mkv', '-c:v', 'ffv1', '-level', '3', '-c:a', 'flac')),
  filmKind(
    'codec/ffv1 of 4:2:2 and 10 bits in avi',
    transcoded(film(), '.avi', '-c:v', 'ffv1', '-pix_fmt', 'yuv422p10le', ...pcm),
  ),
  filmKind(
    'codec/h264 of 4:2:2 and 10 bits',
    transcoded(film(), '.mov', ...quickH264, '-pix_fmt', 'yuv422p10le', ...pcm),
  ),
  filmKind('codec/h264 of 4:4:4', transcoded(film(), '.mkv', ...quickH264, '-pix_fmt', 'yuv444p', ...opus)),
  filmKind(
    'codec/h264 of red, green and blue',
    transcoded(film(), '.mkv', '-c:v', 'libx264rgb', '-preset', 'ultrafast', '-crf', '8', ...opus),
    // Its saturated colours lose more at 4:2:0 than others.
    { leastLikeness: 20 },
  ),
  filmKind('codec/h264 in grey', transcoded(film(), '.mp4', ...quickH264, '-pix_fmt', 'gray', '-c:a', 'aac')),
  filmKind(
    'codec/h264 of full range',
    transcoded(
      film(),
      '.mp4',
      ...words('-vf scale=out_range=pc,format=yuvj420p -c:v libx264 -preset ultrafast -crf 12 -c:a aac'),
    ),
  ),
  filmKind('codec/huffyuv', transcoded(film(), '.avi', '-c:v', 'huffyuv', '-pix_fmt', 'yuv422p', ...pcm)),
  filmKind('codec/ffvhuff', transcoded(film(), '.avi', '-c:v', 'ffvhuff', ...pcm)),
  filmKind('codec/utvideo', transcoded(film(), '.avi', '-c:v', 'utvideo', ...pcm)),
  filmKind('codec/raw in avi', transcoded(film(), '.avi', '-c:v', 'rawvideo', ...pcm)),
  filmKind('codec/raw in mov', transcoded(film(), '.mov', '-c:v', 'rawvideo', '-pix_fmt', 'uyvy422', ...pcm)),
  filmKind('codec/v210', transcoded(film(), '.mov', '-c:v', 'v210', ...pcm)),
  filmKind(
    'codec/dv',
    transcoded(film({ size: '720x576' }), '.dv', '-c:v', 'dvvideo', '-pix_fmt', 'yuv420p', ...pcm, '-ac', '2'),
  ),
  filmKind(
    'codec/dv in mov',
    transcoded(film({ size: '720x576' }), '.mov', '-c:v', 'dvvideo', '-pix_fmt', 'yuv420p', ...pcm, '-ac', '2'),
  ),
  filmKind('codec/animation of QuickTime', transcoded(film(), '.mov', '-c:v', 'qtrle', ...pcm)),
  filmKind('codec/png in mov', transcoded(film(), '.mov', '-c:v', 'png', ...pcm)),
  filmKind('codec/flash video', transcoded(film(), '.flv', '-c:v', 'flv', '-q:v', '2', ...mp3, '-ar', '44100')),
  filmKind('codec/h263', transcoded(film({ size: '176x144' }), '.3gp', '-c:v', 'h263', '-q:v', '2', '-c:a', 'aac')),
  filmKind('codec/wmv1', transcoded(film(), '.wmv', '-c:v', 'wmv1', '-q:v', '2', '-c:a', 'wmav2')),
  filmKind('codec/msmpeg4v2', transcoded(film(), '.avi', '-c:v', 'msmpeg4v2', '-q:v', '2', ...mp3)),
  filmKind('codec/msmpeg4v3', transcoded(film(), '.avi', '-c:v', 'msmpeg4', '-q:v', '2', ...mp3)),
  filmKind('codec/cinepak', transcoded(film(), '.avi', '-c:v', 'cinepak', ...pcm), { refused: 'undecodable_source' }),
  filmKind('codec/jpeg 2000', transcoded(film(), '.mov', '-c:v', 'jpeg2000', ...pcm), {
    refused: 'undecodable_source',
  }),
  filmKind('codec/svq1', transcoded(film({ size: '176x144' }), '.mov', '-c:v', 'svq1', '-pix_fmt', 'yuv410p', ...pcm), {
    refused: 'undecodable_source',
  }),
  filmKind(
    'codec/hdr10',
    transcoded(
      film(),
      '.mp4',
      ...words('-c:v libx265 -preset ultrafast -crf 12 -pix_fmt yuv420p10le'),
      ...uhd,
      ...words('-color_trc smpte2084 -tag:v hvc1'),
    ),
    { refused: 'unsupported_format' },
  ),
  filmKind(
    'codec/hlg',
    transcoded(
      film(),
      '.mov',
      ...words('-c:v libx265 -preset ultrafast -crf 12 -pix_fmt yuv420p10le'),
      ...uhd,
      ...words('-color_trc arib-std-b67 -tag:v hvc1'),
    ),
    { refused: 'unsupported_format' },
  ),
];
