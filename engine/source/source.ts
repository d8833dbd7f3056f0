import { MediaError } from '../media-error.ts';
import type { Ending } from '../formats/ending.ts';
import { readEnding } from '../formats/read-ending.ts';
import { leadSeconds } from '../ffmpeg/lead.ts';
import { isMixable } from '../ffmpeg/mixable-speakers.ts';
import type { Probed, ProbedStream } from '../ffmpeg/probed.ts';
import { hiddenStart, stampScaleOf } from '../ffmpeg/stamp-scale.ts';
import type { QuietBlocks } from './quiet-blocks.ts';
import type { MediaFacts } from '../../contract/http/media.ts';
import { probeSource } from './probe-source.ts';
import { describeMedia } from './describe-media.ts';
import { declaredLength } from './declared-length.ts';
import { readSourceTags, type SourceTags } from './source-tags.ts';
import { readVorbisRemarks } from './vorbis-remarks.ts';
import type { SubtitlePictures, SubtitleText } from './subtitle-track.ts';
import { bitrateOf } from './stream-bits.ts';
import { describeSubtitles, type SubtitleTrack } from './subtitle-track.ts';
import { describePictures, type PictureSource, type PictureStream } from './pictures/picture-source.ts';
import { checkStreams, sourceTooLong, type SourceLimits } from '../ffmpeg/source-limits.ts';

/** A downloaded file and what was found in it. */
export interface Source {
  path: string;
  /** ffprobe's name of the container format. */
  formatName: string;
  /** Seconds of the longest stream, estimated without reading the file. */
  estimatedSeconds: number | undefined;
  tags: SourceTags;
  facts: MediaFacts;
  /** First of its tracks that has sound. */
  audio?: AudioSource;
  /** All audio streams, in order. */
  tracks: readonly AudioSource[];
  /** All subtitle streams, in order. */
  subtitles: readonly SubtitleTrack[];
  /** Contents of the text subtitles that outputs use. */
  texts?: ReadonlyMap<SubtitleTrack, SubtitleText>;
  /** Contents of the picture subtitles that outputs use. */
  subtitlePictures?: ReadonlyMap<SubtitleTrack, SubtitlePictures>;
  /** Picture stream that is the players' choice. */
  pictureStream?: PictureStream;
  /** The same stream with the time of each picture, if an output has pictures. */
  pictures?: PictureSource;
  /** Reason why the pictures could not be opened, for outputs that can do without. */
  picturesProblem?: MediaError;
}

/** An audio stream of a downloaded file. */
export interface AudioSource {
  path: string;
  /** File on the source's clock, if `path` begins at zero instead (`even-shapes.ts`). */
  clockPath?: string;
  /** Place among the audio streams, from 0. */
  track: number;
  /** As named in the file, such as `deu`. */
  language: string | undefined;
  /** True if the file marks it as the players' choice. */
  isDefault: boolean;
  /** The file has no packet of the track, as in recordings that never received any sound. */
  isEmpty?: true;
  /** ffprobe's name of the container format. */
  formatName: string;
  /** ffprobe's name. */
  codec: string;
  /** ffmpeg's name of the decoder's output format, such as `fltp`. */
  sampleFormat: string | undefined;
  channels: number;
  /** ffmpeg's name, such as `5.1(side)`; undefined if the file does not state it. */
  channelLayout: string | undefined;
  /** Hz. */
  sampleRate: number;
  /** kbit/s. */
  bitrate: number;
  /** Bits per sample of a lossless codec; undefined for lossy ones. */
  losslessBits: number | undefined;
  /** Seconds of silence before the sound, because other streams of the file start earlier. */
  leadSeconds: number;
  /** Start of outputs of this sound alone, in seconds on the file's clock; set if the pictures were opened. */
  aloneStart?: number;
  /** Declared seconds, including that silence; undefined if the file declares none that are reliable. */
  declaredSeconds: number | undefined;
  ending: Ending['kind'];
  /** Seconds estimated without reading the file, for progress and limits only. */
  estimatedSeconds: number | undefined;
  /** The estimate follows from the bitrate of the beginning, and may be many times too long. */
  estimateIsGuess?: true;
  /**
   * The file holds samples decoded from several parts (`joined-source.ts`). `codec` and `bitrate` are those of the
   * parts.
   */
  isDecoded?: true;
  /** The header states another size of a second than its samples have (`seeking.ts`). */
  misstatesBitrate?: true;
  /** Samples per channel, including silence in gaps and before the sound, if they were counted. */
  countedSamples?: number;
  /** Present if silence was measured. */
  quiet?: QuietBlocks;
  /** Some samples are NaN, infinite or absurdly large (`wild-samples.ts`). */
  hasWildSamples?: true;
  /** Two channels of speakers that ffmpeg cannot mix, such as the back's, which are played as left and right. */
  isUnnamedPair?: true;
  /** Factor by which ffmpeg's timestamps must be multiplied; undefined if they are right. */
  stampScale?: number;
  /** FLAC in Ogg, whose sound seems to begin at 0. */
  hidesStart?: true;
}

/** Returns the audio of a source. The error names `user`, which needs it. */
export function audioOf<Audio>(source: { audio?: Audio; tracks?: readonly unknown[] }, user: string): Audio {
  if (source.audio !== undefined) return source.audio;
  const reason =
    (source.tracks ?? []).length > 0 ? 'the audio streams of the source are empty' : 'the source has no audio stream';
  throw new MediaError('no_audio', `${user} needs audio, and ${reason}.`);
}

export const hasSound = ({ isEmpty }: AudioSource): boolean => isEmpty !== true;

/** Replaces the tracks of a source, which keep their places. */
export function withTracks(source: Omit<Source, 'audio' | 'tracks'>, tracks: readonly AudioSource[]): Source {
  const audio = tracks.find(hasSound);
  return { ...source, ...(audio !== undefined && { audio }), tracks };
}

const losslessCodecs = /^(?:pcm_|flac$|alac$|ape$|tta$|wavpack$|wmalossless$|mlp$|truehd$|s302m$)/;

/** Probes a downloaded file. Throws `undecodable_source` if it is not media, and `source_too_long`. */
export async function openSource(path: string, limits: SourceLimits, signal: AbortSignal): Promise<Source> {
  const described = await probeSource(path, signal);
  checkStreams(described, limits);
  const ending = await readEnding(path, described.format.format_name);
  const found = withoutPipedLength(described, ending);
  const { format_name: formatName, duration } = found.format;
  // A file that lacks its end may lack the sound of a track.
  const probed = ending.kind === 'cut' ? { ...found, emptySounds: new Set<number>() } : found;
  const tags = readSourceTags(probed, await readVorbisRemarks(path, formatName));
  const pictureStream = describePictures(path, probed, ending);
  const source = {
    ...{ path, formatName, estimatedSeconds: duration, tags, facts: describeMedia(probed) },
    subtitles: describeSubtitles(probed),
    ...(pictureStream !== undefined && { pictureStream }),
  };
  const tracks = probed.streams
    .filter(({ codec_type }) => codec_type === 'audio')
    .map((audio, track) => ({ track, ...openAudio(path, probed, audio, ending, limits) }));
  return withTracks(source, tracks);
}

/** The header of an AIFF that was piped counts samples of hours, which the file does not have. */
function withoutPipedLength(probed: Probed, { kind }: Ending): Probed {
  if (probed.format.format_name !== 'aiff' || kind !== 'unknown') return probed;
  const streams = probed.streams.map((stream) => ({ ...stream, duration: undefined }));
  return { ...probed, streams, format: { ...probed.format, duration: undefined } };
}

/** ffprobe describes speakers without a named layout as `2 channels (BL+BR)`. */
function layoutOf({ channel_layout: layout }: ProbedStream): Pick<AudioSource, 'channelLayout' | 'isUnnamedPair'> {
  if (layout?.startsWith('2 channels') === true && !isMixable(layout))
    return { channelLayout: 'stereo', isUnnamedPair: true };
  return { channelLayout: layout };
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
  // The length of PCM follows from the bytes present, whatever else the header claims.
  const pcmSeconds = stream.codec_name.startsWith('pcm_') ? estimatedSeconds : undefined;
  if (Math.max(declaredSeconds ?? 0, pcmSeconds ?? 0) > limits.maxSourceDurationSeconds) throw sourceTooLong(limits);
  const bits = stream.bits_per_raw_sample || stream.bits_per_sample || 16;
  const { bits_per_sample: storedBits = 0, bit_rate: statedBitrate = 0 } = stream;
  const misstatesBitrate = statedBitrate > 0 && statedBitrate !== storedBits * channels * sampleRate;
  return {
    path,
    language: stream.tags['language'],
    isDefault: stream.disposition.default === 1,
    ...(probed.emptySounds?.has(stream.index) === true && { isEmpty: true as const }),
    formatName: probed.format.format_name,
    codec: stream.codec_name,
    sampleFormat: stream.sample_fmt,
    channels,
    ...layoutOf(stream),
    sampleRate,
    bitrate: bitrateOf(stream, probed),
    losslessBits: losslessCodecs.test(stream.codec_name) ? bits : undefined,
    leadSeconds: lead,
    declaredSeconds,
    ending: ending.kind,
    estimatedSeconds,
    ...(probed.durationIsGuess && { estimateIsGuess: true as const }),
    ...(stream.codec_name.startsWith('pcm_') && misstatesBitrate && { misstatesBitrate }),
    ...stampScaleOf(probed, stream),
    ...hiddenStart(probed, stream),
  };
}
