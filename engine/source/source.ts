import { MediaError } from '../media-error.ts';
import type { Ending } from '../formats/ending.ts';
import { readEnding } from '../formats/read-ending.ts';
import { leadSeconds } from '../ffmpeg/lead.ts';
import { probeFile } from '../ffmpeg/probe.ts';
import type { Probed, ProbedStream } from '../ffmpeg/probed.ts';
import type { QuietBlocks } from './quiet-blocks.ts';
import type { MediaFacts } from '../../contract/http/media.ts';
import { describeMedia } from './media-facts.ts';
import { declaredLength } from './declared-length.ts';
import { readSourceTags, type SourceTags } from './source-tags.ts';
import type { SubtitlePictures, SubtitleText } from './subtitle-track.ts';
import { describeSubtitles, type SubtitleTrack } from './subtitle-track.ts';
import { describePictures, type PictureSource, type PictureStream } from './pictures/picture-source.ts';
import { checkStreams, sourceTooLong, type SourceLimits } from '../ffmpeg/source-limits.ts';

/** A downloaded file, with what can be made of it. */
export interface Source {
  path: string;
  /** ffprobe's name of the container format */
  formatName: string;
  /** Seconds of the longest stream, as far as anybody can tell without reading the file. */
  estimatedSeconds: number | undefined;
  tags: SourceTags;
  facts: MediaFacts;
  /** The first of its tracks. */
  audio?: AudioSource;
  /** All its audio streams, in their order. */
  tracks: readonly AudioSource[];
  /** All its streams of subtitles, in their order. */
  subtitles: readonly SubtitleTrack[];
  /** What those say that outputs have. */
  texts?: ReadonlyMap<SubtitleTrack, SubtitleText>;
  /** The same of those that are pictures. */
  subtitlePictures?: ReadonlyMap<SubtitleTrack, SubtitlePictures>;
  /** Its first stream of pictures that is no cover. */
  pictureStream?: PictureStream;
  /** The same with the time of each picture, where an output has pictures. */
  pictures?: PictureSource;
  /** Why these could not be opened for what can do without them. */
  picturesProblem?: MediaError;
}

/** An audio stream of a downloaded file. */
export interface AudioSource {
  path: string;
  /** its place among the audio streams, from 0 */
  track: number;
  /** as the file names it, such as `deu` */
  language: string | undefined;
  /** The file says that players choose it. */
  isDefault: boolean;
  /** ffprobe's name of the container format */
  formatName: string;
  /** ffprobe's name */
  codec: string;
  /** ffmpeg's name of what its decoder puts out, such as `fltp` */
  sampleFormat: string | undefined;
  channels: number;
  /** ffmpeg's name, such as `5.1(side)`; undefined where the file does not say */
  channelLayout: string | undefined;
  /** Hz */
  sampleRate: number;
  /** kbit/s */
  bitrate: number;
  /** Bits of a sample where the codec keeps them all, undefined for lossy ones. */
  losslessBits: number | undefined;
  /** of silence before the sound: other streams of the file begin earlier */
  leadSeconds: number;
  /** Seconds, with that silence, that the file itself says it has; undefined where it does not say, or not reliably. */
  declaredSeconds: number | undefined;
  ending: Ending['kind'];
  /** Seconds as far as anybody can tell without reading the file: for progress and limits, not for truth. */
  estimatedSeconds: number | undefined;
  /** The file has the samples that were decoded from parts (`joined-source.ts`); `codec` and `bitrate` are those of the parts. */
  isDecoded?: true;
  /** Samples of each channel, silence in holes and before the sound included, where they were counted. */
  countedSamples?: number;
  /** where its silence was looked for */
  quiet?: QuietBlocks;
}

/** The audio of a source for something that needs it; the error says what that is. */
export function audioOf<Audio>(source: { audio?: Audio }, user: string): Audio {
  if (source.audio !== undefined) return source.audio;
  throw new MediaError('no_audio', `${user} needs audio, and the source has no audio stream.`);
}

const losslessCodecs = /^(?:pcm_|flac$|alac$|ape$|tta$|wavpack$|wmalossless$|mlp$|truehd$|s302m$)/;

/** Probes a downloaded file. Throws `undecodable_source` where it is no media, and `source_too_long`. */
export async function openSource(path: string, limits: SourceLimits, signal: AbortSignal): Promise<Source> {
  const probed = await probeFile(path, { signal });
  checkStreams(probed, limits);
  const { format_name: formatName, duration } = probed.format;
  const tags = readSourceTags(probed);
  const ending = await readEnding(path, formatName);
  const pictureStream = describePictures(path, probed, ending);
  const source: Source = {
    ...{ path, formatName, estimatedSeconds: duration, tags, tracks: [], facts: describeMedia(probed) },
    subtitles: describeSubtitles(probed),
    ...(pictureStream !== undefined && { pictureStream }),
  };
  const tracks = probed.streams
    .filter(({ codec_type }) => codec_type === 'audio')
    .map((audio, track) => ({ track, ...openAudio(path, probed, audio, ending, limits) }));
  const [first] = tracks;
  return { ...source, ...(first !== undefined && { audio: first }), tracks };
}

function openAudio(
  path: string,
  probed: Probed,
  stream: ProbedStream,
  ending: Ending,
  limits: SourceLimits,
): Omit<AudioSource, 'track'> {
  const { sample_rate: sampleRate = 0, channels = 0 } = stream;
  const lead = leadSeconds(probed, stream);
  const soundSeconds = declaredLength(probed, stream, ending);
  const declaredSeconds = soundSeconds === undefined ? undefined : soundSeconds + lead;
  const estimatedSeconds = stream.duration === undefined ? probed.format.duration : stream.duration + lead;
  // Of PCM the length follows from the bytes that are there, whatever else the header claims.
  const pcmSeconds = stream.codec_name.startsWith('pcm_') ? estimatedSeconds : undefined;
  if (Math.max(declaredSeconds ?? 0, pcmSeconds ?? 0) > limits.maxSourceDurationSeconds) throw sourceTooLong(limits);
  const bits = stream.bits_per_raw_sample || stream.bits_per_sample || 16;
  return {
    path,
    language: stream.tags['language'],
    isDefault: stream.disposition.default === 1,
    formatName: probed.format.format_name,
    codec: stream.codec_name,
    sampleFormat: stream.sample_fmt,
    channels,
    channelLayout: stream.channel_layout === 'unknown' ? undefined : stream.channel_layout,
    sampleRate,
    bitrate: Math.round((stream.bit_rate ?? probed.format.bit_rate ?? 0) / 1000),
    losslessBits: losslessCodecs.test(stream.codec_name) ? bits : undefined,
    leadSeconds: lead,
    declaredSeconds,
    ending: ending.kind,
    estimatedSeconds,
  };
}
