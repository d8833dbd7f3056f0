import type { Probed, ProbedStream } from '../ffmpeg/probed.ts';
import type { Ending } from '../formats/ending.ts';

/** Formats whose header tells the length. The others' comes from what is in the file (ogg, mpegts, aac …). */
const declaringFormats = /^(?:ape|asf|aiff|au|dsf|flac|iff|matroska|mov|mp3|mxf|tta|wv)\b/;

/** `00:01:02.345000000`, as Matroska's tags of statistics write it. */
export function secondsOfTag(text: string | undefined): number | undefined {
  const match = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text ?? '');
  return match === null ? undefined : Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
}

/** Whether the file's own length is that of its audio: it is the longest stream's. */
function isOnlyStream(probed: Probed, audio: ProbedStream): boolean {
  return probed.streams.every(
    ({ index, codec_type, disposition }) =>
      index === audio.index || disposition.attached_pic === 1 || !/^(?:audio|video)$/.test(codec_type),
  );
}

/**
 * Matroska's lengths are times of an end, counted from the segment's zero (RFC 9559, 5.1.2.10): those of its header, and the tags of
 * most writers. mkvmerge's tags are lengths, and then this is less than there is, and hides a cut of so much.
 */
function declaredByMatroska(probed: Probed, audio: ProbedStream): number | undefined {
  const end =
    secondsOfTag(audio.tags['DURATION']) ?? (isOnlyStream(probed, audio) ? probed.format.duration : undefined);
  return end === undefined ? undefined : end - Math.max(0, audio.start_time ?? 0);
}

/** Seconds of the audio from its first sample on, as the header that ffprobe has read says. */
function declaredByProbe(probed: Probed, audio: ProbedStream): number | undefined {
  const formatName = probed.format.format_name;
  if (probed.durationIsGuess || !declaringFormats.test(formatName)) return undefined;
  if (formatName.startsWith('matroska')) return declaredByMatroska(probed, audio);
  return audio.duration ?? (isOnlyStream(probed, audio) ? probed.format.duration : undefined);
}

function declaredByEnding(probed: Probed, audio: ProbedStream, { kind, declaredSeconds }: Ending): number | undefined {
  if (declaredSeconds === undefined || declaredSeconds === 'none') return undefined;
  // It may be the length of another stream, which counts only where something is seen to be missing.
  if (kind !== 'cut' && !isOnlyStream(probed, audio)) return undefined;
  return declaredSeconds - Math.max(0, audio.start_time ?? 0);
}

/** Seconds of the audio from its first sample on that the file itself says it has; undefined where it does not, or not reliably (pure). */
export function declaredLength(probed: Probed, audio: ProbedStream, ending: Ending): number | undefined {
  const seconds = findLength(probed, audio, ending);
  // A recorder that was stopped leaves a zero where the length was to be.
  return seconds === undefined || seconds <= 0 ? undefined : seconds;
}

function findLength(probed: Probed, audio: ProbedStream, ending: Ending): number | undefined {
  if (ending.declaredSeconds !== undefined) return declaredByEnding(probed, audio, ending);
  const isOfHeader = declaringFormats.test(probed.format.format_name);
  if (ending.presentShare === undefined || isOfHeader) return declaredByProbe(probed, audio);
  // Of the other formats ffprobe's figure is of the bytes that are there.
  const presentSeconds = audio.duration ?? probed.format.duration ?? 0;
  return presentSeconds === 0 ? undefined : presentSeconds / ending.presentShare;
}
