import { definedFields } from '../../contract/defined-fields.ts';
import type { DescribedStream, MediaFacts } from '../../contract/http/media.ts';
import { fileTags } from '../ffmpeg/file-tags.ts';
import type { Probed, ProbedStream } from '../ffmpeg/probed.ts';
import { parseRational, valueOf } from '../ffmpeg/rational.ts';

/** Keeps a report small, whatever tags a file has. */
const mostTags = 100;
const mostTagCharacters = 500;
const mostChapters = 1000;

const hdrKinds: Readonly<Record<string, 'hdr10' | 'hlg'>> = { smpte2084: 'hdr10', 'arib-std-b67': 'hlg' };

const inKilobits = (bits: number | undefined): number | undefined =>
  bits === undefined ? undefined : Math.round(bits / 1000);
export const roundRate = (rate: number): number => Math.round(rate * 1000) / 1000;

/** Describes a file's format, streams, tags and chapters. */
export function describeMedia({ format, streams, chapters }: Probed): MediaFacts {
  const tags = Object.entries(fileTags({ format, streams })).slice(0, mostTags);
  return {
    ...definedFields({ bitrate: inKilobits(format.bit_rate) }),
    streams: streams.map(describeStream),
    tags: Object.fromEntries(tags.map(([name, text]) => [name, text.slice(0, mostTagCharacters)])),
    chapters: chapters.slice(0, mostChapters).map(({ start_time: start, end_time: end, tags: { title } }) => ({
      ...{ start, end },
      ...definedFields({ title: title?.slice(0, mostTagCharacters) }),
    })),
  };
}

function describeStream(stream: ProbedStream): DescribedStream {
  return {
    ...{ index: stream.index, type: stream.codec_type, codec: stream.codec_name },
    isDefault: stream.disposition.default === 1,
    ...definedFields({
      profile: stream.profile,
      bitrate: inKilobits(stream.bit_rate),
      language: stream.tags['language']?.slice(0, mostTagCharacters),
      channels: stream.channels,
      channelLayout: stream.channel_layout,
      sampleRate: stream.sample_rate,
    }),
    ...(stream.codec_type === 'video' && describeLook(stream)),
  };
}

function describeLook(stream: ProbedStream): Partial<DescribedStream> {
  const { disposition, side_data_list: sideData, field_order: fields, sample_aspect_ratio: pixelAspect } = stream;
  const rate = parseRational(stream.avg_frame_rate);
  const turned = sideData.find(({ rotation }) => rotation !== undefined)?.rotation ?? 0;
  const { color_range: range, color_space: space, color_primaries: primaries, color_transfer: transfer } = stream;
  const color = definedFields({ range, space, primaries, transfer, hdr: hdrKinds[transfer ?? ''] });
  return definedFields({
    isCover: disposition.attached_pic === 1 ? true : undefined,
    ...{ width: stream.width, height: stream.height, pixelFormat: stream.pix_fmt },
    pixelAspect: pixelAspect === '1:1' || pixelAspect === '0:1' ? undefined : pixelAspect,
    // The file's own matrix turns in the opposite direction.
    rotation: turned === 0 ? undefined : (360 - turned) % 360,
    fps: rate === undefined ? undefined : roundRate(valueOf(rate)),
    isInterlaced: fields === undefined ? undefined : fields !== 'progressive',
    color: Object.keys(color).length === 0 ? undefined : color,
  });
}
