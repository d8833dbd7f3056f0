import { edited, muxed, transcoded, words } from '../../recipe.ts';
import { film } from '../film.ts';
import { filmKind } from '../film-kind.ts';
import { h264Aac, quickH264 } from './containers.ts';

const turned = (degrees: string) =>
  transcoded(transcoded(film(), '.mp4', ...h264Aac), '.mp4', '-c', 'copy', '-metadata:s:v:0', `rotate=${degrees}`);

/** Negates the fifth figure of the display matrix (ISO/IEC 14496-12, 8.3.2), so that players mirror the picture. */
function mirrored(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeInt32BE(-65_536, copy.indexOf('tkhd') + 60);
  return copy;
}

export const shapeKinds = [
  filmKind('shape/mirrored upside down', edited(transcoded(film(), '.mp4', ...h264Aac), mirrored), { isQuick: true }),
  filmKind(
    'shape/odd sides',
    transcoded(film(), '.mkv', '-vf', 'scale=191:107,setsar=1', '-c:v', 'ffv1', '-c:a', 'flac'),
  ),
  filmKind('shape/pixels of 4:3', transcoded(film(), '.mp4', '-vf', 'setsar=4/3', ...h264Aac)),
  filmKind(
    'shape/anamorphic television',
    transcoded(film({ size: '180x144' }), '.ts', ...words('-vf setdar=16/9 -c:v mpeg2video -q:v 2 -c:a mp2')),
  ),
  filmKind('shape/upright', transcoded(film({ size: '108x192' }), '.mp4', ...h264Aac)),
  filmKind('shape/16 pixels', transcoded(film({ size: '16x16' }), '.mp4', ...h264Aac), {
    refusedOutputs: { av1: 'unsupported_format', hevc: 'unsupported_format' },
  }),
  filmKind('shape/turned by 90', turned('90')),
  filmKind('shape/turned by 180', turned('180')),
  filmKind('shape/turned by 270', turned('270')),
  filmKind(
    'shape/turned by its key frames',
    transcoded(
      transcoded(film(), '.mp4', ...h264Aac),
      '.mp4',
      ...words('-c copy -bsf:v h264_metadata=display_orientation=insert:rotate=90'),
    ),
    { refused: 'unsupported_format', isQuick: true },
  ),
  filmKind(
    'shape/two pictures in one packet of a broadcast',
    transcoded(
      transcoded(film(), '.mp4', ...h264Aac),
      '.ts',
      ...words('-c copy -bsf:v h264_metadata=display_orientation=insert:rotate=360'),
    ),
  ),
  filmKind(
    'shape/fields, upper first',
    transcoded(
      film({ rate: '50' }),
      '.ts',
      ...words('-vf tinterlace=interleave_top,setfield=tff -c:v mpeg2video -q:v 2 -flags +ilme+ildct -c:a mp2'),
    ),
    {
      referenceFilters: ['bwdif=mode=send_frame:deint=interlaced'],
    },
  ),
  filmKind(
    'shape/fields, lower first',
    transcoded(
      film({ rate: '50' }),
      '.mov',
      ...words(
        '-vf tinterlace=interleave_bottom,setfield=bff -c:v mpeg2video -q:v 2 -flags +ilme+ildct -c:a pcm_s16le',
      ),
    ),
    {
      referenceFilters: ['bwdif=mode=send_frame:deint=interlaced'],
    },
  ),
  filmKind(
    'shape/fields in h264',
    transcoded(
      film({ rate: '50' }),
      '.mp4',
      '-vf',
      'tinterlace=interleave_top,setfield=tff',
      ...h264Aac,
      '-x264-params',
      'tff=1',
    ),
    {
      referenceFilters: ['bwdif=mode=send_frame:deint=interlaced'],
    },
  ),
  filmKind(
    'shape/telecined',
    transcoded(
      film({ rate: '24000/1001' }),
      '.ts',
      ...words('-vf telecine=pattern=23,setfield=tff -c:v mpeg2video -q:v 2 -flags +ilme+ildct -c:a mp2'),
    ),
    {
      // Some of its pictures combine two, half of each.
      tolerance: 2,
      referenceFilters: ['bwdif=mode=send_frame:deint=interlaced'],
    },
  ),
  filmKind(
    'shape/a cover beside the pictures',
    muxed(
      [
        transcoded(film(), '.mp4', ...h264Aac),
        transcoded(film({ seconds: 0.04, hasSound: false }), '.jpg', '-frames:v', '1', '-pix_fmt', 'yuvj420p'),
      ],
      '.mp4',
      ...words('-map 0 -map 1 -c copy -disposition:v:1 attached_pic'),
    ),
  ),
  filmKind(
    'shape/a cover before the pictures',
    muxed(
      [
        transcoded(film({ seconds: 0.04, hasSound: false }), '.jpg', '-frames:v', '1', '-pix_fmt', 'yuvj420p'),
        transcoded(film(), '.mp4', ...h264Aac),
      ],
      '.mp4',
      ...words('-map 0 -map 1 -c copy -disposition:v:0 attached_pic'),
    ),
  ),
  filmKind(
    'shape/a cover alone',
    muxed(
      [transcoded(film({ seconds: 0.04, hasSound: false }), '.jpg', '-frames:v', '1', '-pix_fmt', 'yuvj420p'), film()],
      '.m4a',
      ...words('-map 0:v -map 1:a -c:v copy -c:a aac -disposition:v:0 attached_pic'),
    ),
    { refused: 'no_video' },
  ),
  filmKind(
    'shape/two streams of pictures',
    muxed(
      [film(), film({ rate: '50', size: '96x54' })],
      '.mkv',
      ...words('-map 0:v -map 0:a -map 1:v'),
      ...quickH264,
      '-c:a',
      'libopus',
    ),
  ),
  filmKind('shape/sound before the pictures', muxed([film()], '.mp4', '-map', '0:a', '-map', '0:v', ...h264Aac)),
  filmKind(
    'shape/a track of time code',
    transcoded(film(), '.mov', '-timecode', '10:00:00:00', ...quickH264, '-c:a', 'pcm_s24le'),
  ),
];
