import type { Probed, ProbedStream } from '../ffmpeg/probed.ts';
import type { Ending } from '../formats/ending.ts';

/** Formats whose header declares the length. For others (ogg, mpegts, aac …) it follows from their content. */
const declaringFormats = /^(?:ape|asf|aiff|au|dsf|flac|iff|matroska|mov|mp3|mxf|nistsphere|tta|wv)\b/;

/** Parses `00:01:02.345000000`, the form of Matroska's statistics tags. */
export function secondsOfTag(text: string | undefined): number | undefined {
  const match = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text ?? '');
  return match === null ? undefined : Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
}

/** True if the file's own length, which is that of its longest stream, is that of its audio. */
function isOnlyStream(probed: Probed, audio: ProbedStream): boolean {
  return probed.streams.every(
    ({ index, codec_type, disposition }) =>
      index === audio.index || disposition.attached_pic === 1 || !/^(?:audio|video)$/.test(codec_type),
  );
}

/**
 * Matroska's lengths are end times from the segment's zero (RFC 9559, 5.1.2.10): in its header and in most writers'
 * tags. mkvmerge's tags are durations; the result is then too small and may hide a cut of that size. A tag beyond the
 * header's length is that of another file, from which a program copied it.
 */
function declaredByMatroska(probed: Probed, audio: ProbedStream): number | undefined {
  const end =
    secondsOfTag(audio.tags['DURATION']) ?? (isOnlyStream(probed, audio) ? probed.format.duration : undefined);
  return end === undefined
    ? undefined
    : Math.min(end, probed.format.duration ?? Infinity) - Math.max(0, audio.start_time ?? 0);
}

/**
 * ffmpeg's length of a track whose edit list both delays and shortens it includes the delay. Without the delay, other
 * lengths are too small, which hides no cut in a file that has all of its bytes.
 */
function declaredByMov({ duration, start_time: start = 0 }: ProbedStream, { kind }: Ending): number | undefined {
  return duration === undefined || kind !== 'whole' ? duration : duration - Math.max(0, start);
}

/** Seconds of audio from its first sample, according to the header that ffprobe read. */
function declaredByProbe(probed: Probed, audio: ProbedStream, ending: Ending): number | undefined {
  const formatName = probed.format.format_name;
  if (probed.durationIsGuess || !declaringFormats.test(formatName)) return undefined;
  if (formatName.startsWith('matroska')) return declaredByMatroska(probed, audio);
  const seconds = formatName.startsWith('mov') ? declaredByMov(audio, ending) : audio.duration;
  return seconds ?? (isOnlyStream(probed, audio) ? probed.format.duration : undefined);
}

function declaredByEnding(probed: Probed, audio: ProbedStream, ending: Ending): number | undefined {
  const { kind, declaredSeconds, indexedSeconds = new Map<number, number>() } = ending;
  const own = indexedSeconds.get(audio.id ?? NaN);
  const longest = [...indexedSeconds.values()].reduce((one, other) => Math.max(one, other), 0);
  const ofFile = typeof declaredSeconds === 'number' ? declaredSeconds : longest;
  // The length may be that of another stream. It counts only if something is evidently missing.
  if (kind !== 'cut' && !isOnlyStream(probed, audio)) return own;
  return Math.max(own ?? 0, ofFile - Math.max(0, audio.start_time ?? 0));
}

/**
 * Seconds of audio from its first sample that the file itself declares; undefined if it declares none, or none that is
 * reliable.
 */
export function declaredLength(probed: Probed, audio: ProbedStream, ending: Ending): number | undefined {
  const seconds = findLength(probed, audio, ending);
  // A recorder that was stopped leaves a zero in place of the length.
  return seconds === undefined || seconds <= 0 ? undefined : seconds;
}

function findLength(probed: Probed, audio: ProbedStream, ending: Ending): number | undefined {
  if (ending.declaredSeconds !== undefined) return declaredByEnding(probed, audio, ending);
  const isOfHeader = declaringFormats.test(probed.format.format_name);
  if (ending.presentShare === undefined || isOfHeader) return declaredByProbe(probed, audio, ending);
  // For other formats, ffprobe derives its figure from the bytes present.
  const presentSeconds = audio.duration ?? probed.format.duration ?? 0;
  return presentSeconds === 0 ? undefined : presentSeconds / ending.presentShare;
}
