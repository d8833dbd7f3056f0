import { formatCount } from '../../client/text/format-count.ts';
import type { DescribedStream, MediaFacts, PictureTiming } from '../../contract/http/media.ts';
import { formatChannels } from '../text/format-channels.ts';

/** `--json` lists all tags. */
const mostShownTags = 12;

type Row = [name: string, value: string];

const joined = (parts: readonly (string | undefined | false)[]): string =>
  parts.filter((part) => part !== undefined && part !== false && part !== '').join(' · ');

/** Rows for streams, measured frame timing, tags and chapters. */
export function describeFile(file: MediaFacts | undefined): Row[] {
  if (file === undefined) return [];
  const tags = Object.entries(file.tags);
  return [
    ...file.streams.map((stream): Row => [`stream ${stream.index}`, describeStream(stream)]),
    ...(file.pictures === undefined ? [] : describeTiming(file.pictures)),
    ...tags.slice(0, mostShownTags).map(([name, text]): Row => ['tag', `${name}: ${text}`]),
    ...(tags.length > mostShownTags ? [['tags', `${tags.length - mostShownTags} more; --json has all`] as Row] : []),
    ...(file.chapters.length === 0 ? [] : [['chapters', formatCount(file.chapters.length, 'chapter')] as Row]),
  ];
}

function describeStream(stream: DescribedStream): string {
  const { type, codec, profile, bitrate, language, isDefault, isCover, channels, channelLayout, sampleRate } = stream;
  return joined([
    isCover === true ? 'cover' : type,
    `${codec}${profile === undefined ? '' : ` (${profile})`}`,
    ...describeLook(stream),
    sampleRate !== undefined && `${sampleRate} Hz`,
    channelLayout ?? (channels === undefined ? undefined : formatChannels(channels)),
    bitrate !== undefined && `${bitrate} kbit/s`,
    language !== 'und' && language,
    isDefault && 'default',
  ]);
}

function describeLook(stream: DescribedStream): (string | undefined | false)[] {
  const { width, height, pixelAspect, rotation, pixelFormat, fps, isInterlaced, isCover, color } = stream;
  if (width === undefined || height === undefined) return [];
  return [
    `${width} × ${height} pixels`,
    pixelAspect !== undefined && `pixel aspect ratio ${pixelAspect}`,
    rotation !== undefined && `rotated by ${rotation}°`,
    pixelFormat,
    isCover !== true && fps !== undefined && `${fps} fps`,
    isInterlaced === true && 'interlaced',
    color?.hdr?.toUpperCase(),
    color !== undefined &&
      [...new Set([color.space, color.primaries, color.transfer, color.range])].filter(Boolean).join(' '),
  ];
}

function describeTiming({
  frames,
  seconds,
  isConstant,
  fps,
  shortest,
  longest,
  keyframes,
  longestGroup,
}: PictureTiming): Row[] {
  const rate = isConstant ? `${fps} fps, constant` : `${fps} fps on average, ${shortest} to ${longest} s apart`;
  return [
    ['frames', joined([formatCount(frames, 'frame'), `${seconds} s`, rate])],
    ['key frames', joined([String(keyframes), `at most ${longestGroup} s apart`])],
  ];
}
