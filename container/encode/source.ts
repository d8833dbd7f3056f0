import { ServiceError } from '../errors.ts';
import { readDeclaredSize } from '../formats/declared-size.ts';
import { readRiffLength } from '../formats/wav/riff-length.ts';
import { probeFile } from '../ffmpeg/probe.ts';
import type { Probed, ProbedStream } from '../ffmpeg/probed.ts';
import { checkStreams, sourceTooLong, type SourceLimits } from './source-limits.ts';

/** A downloaded file, with what can be made of it. */
export interface Source {
  path: string;
  /** ffprobe's name of the container format */
  formatName: string;
  /** Seconds of the longest stream, as far as anybody can tell without reading the file. */
  estimatedSeconds: number | undefined;
  audio?: AudioSource;
}

/** The first audio stream of a downloaded file, for all that only listens. */
export interface AudioSource {
  path: string;
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
  /** Seconds that the file itself says it has; undefined where its format does not say, or not reliably. */
  declaredSeconds: number | undefined;
  /** Seconds as far as anybody can tell without reading the file: for progress and limits, not for truth. */
  estimatedSeconds: number | undefined;
}

/** The audio of a source for something that needs it; the error says what that is. */
export function audioOf<Audio>(source: { audio?: Audio }, user: string): Audio {
  if (source.audio !== undefined) return source.audio;
  throw new ServiceError('no_audio', `${user} needs audio, and the source has no audio stream.`);
}

/** Formats whose header tells the length. The others' comes from what is in the file (ogg, mpegts, aac …). */
const declaringFormats = /^(?:mov|matroska|flac|mp3|aiff|au|ape|wv|tta|asf)\b/;

const losslessCodecs = /^(?:pcm_|flac$|alac$|ape$|tta$|wavpack$|wmalossless$|mlp$|truehd$|s302m$)/;

/** `00:01:02.345000000`, as Matroska's statistics tags write it. */
function secondsOfTag(text: string | undefined): number | undefined {
  const match = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text ?? '');
  return match === null ? undefined : Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
}

function declaredByProbe(probed: Probed, audio: ProbedStream): number | undefined {
  if (probed.durationIsGuess || !declaringFormats.test(probed.format.format_name)) return undefined;
  const ownDuration = audio.duration ?? secondsOfTag(audio.tags['DURATION']);
  if (ownDuration !== undefined) return ownDuration;
  // The file's length is that of its longest stream, which need not be the audio.
  return probed.streams.every((stream) => stream.index === audio.index || stream.disposition.attached_pic === 1)
    ? probed.format.duration
    : undefined;
}

async function declaredSecondsOf(path: string, probed: Probed, audio: ProbedStream): Promise<number | undefined> {
  const formatName = probed.format.format_name;
  if (formatName !== 'wav') {
    const size = await readDeclaredSize(path, formatName);
    if (size === undefined || size.present >= size.declared) return declaredByProbe(probed, audio);
    // ffprobe's figure is of the bytes that are there.
    const presentSeconds = audio.duration ?? probed.format.duration ?? 0;
    return presentSeconds === 0 ? undefined : (presentSeconds * size.declared) / size.present;
  }
  const length = await readRiffLength(path);
  switch (length.kind) {
    case 'declared':
      // A file with all its bytes is not cut short, even where the header's bytes a second are wrong.
      return length.isWhole ? undefined : length.seconds;
    case 'undeclared':
      return undefined;
  }
}

/** Probes a downloaded file. Throws `undecodable_source` where it is no media, and `source_too_long`. */
export async function openSource(path: string, limits: SourceLimits, signal: AbortSignal): Promise<Source> {
  const probed = await probeFile(path, { signal });
  const stream = checkStreams(probed, limits);
  const { format_name: formatName, duration } = probed.format;
  const source: Source = { path, formatName, estimatedSeconds: duration };
  if (stream !== undefined) source.audio = await openAudio(path, probed, stream, limits);
  return source;
}

async function openAudio(
  path: string,
  probed: Probed,
  stream: ProbedStream,
  limits: SourceLimits,
): Promise<AudioSource> {
  const { sample_rate: sampleRate = 0, channels = 0 } = stream;
  const estimatedSeconds = stream.duration ?? probed.format.duration;
  const declaredSeconds = await declaredSecondsOf(path, probed, stream);
  // Of PCM the length follows from the bytes that are there, whatever else the header claims.
  const pcmSeconds = stream.codec_name.startsWith('pcm_') ? estimatedSeconds : undefined;
  if (Math.max(declaredSeconds ?? 0, pcmSeconds ?? 0) > limits.maxSourceDurationSeconds) throw sourceTooLong(limits);
  const bits = stream.bits_per_raw_sample || stream.bits_per_sample || 16;
  return {
    path,
    formatName: probed.format.format_name,
    codec: stream.codec_name,
    sampleFormat: stream.sample_fmt,
    channels,
    channelLayout: stream.channel_layout === 'unknown' ? undefined : stream.channel_layout,
    sampleRate,
    bitrate: Math.round((stream.bit_rate ?? probed.format.bit_rate ?? 0) / 1000),
    losslessBits: losslessCodecs.test(stream.codec_name) ? bits : undefined,
    declaredSeconds,
    estimatedSeconds,
  };
}

/** Fails where less came out than the source had said (docs/contract.md, "Encode"): by more than max(2 s, 2 %). */
export function checkNotTruncated(source: Pick<AudioSource, 'declaredSeconds'>, actualSeconds: number): void {
  const declared = source.declaredSeconds;
  if (declared === undefined || declared - actualSeconds <= Math.max(2, declared * 0.02)) return;
  throw new ServiceError(
    'source_truncated',
    `The source is cut short: it says that it has ${declared.toFixed(1)} seconds, and only ${actualSeconds.toFixed(1)} could be read.`,
    { details: { declaredSeconds: declared, actualSeconds } },
  );
}
