import type { SourceFacts } from '../../contract/http/encode.ts';
import { roundToMilliseconds } from '../../contract/milliseconds.ts';
import { MediaError } from '../media-error.ts';
import { noSound } from '../ffmpeg/failure.ts';
import type { EncodedStreams } from '../plan/encoded-file.ts';
import type { OutputPlan } from '../plan/planned-output.ts';
import type { AudioSource, Source } from '../source/source.ts';
import { pictureSeconds, type PictureSource } from '../source/pictures/picture-source.ts';

/**
 * Seconds that may be missing from a declared length. Lossless formats count samples. Others round, and some include
 * encoder delay and padding, for mp3 at most three frames.
 */
function roundingSeconds({ losslessBits, sampleRate }: DeclaringSource): number {
  // For pictures: one picture of a slow film.
  if (sampleRate === undefined) return 0.1;
  return losslessBits === undefined ? 0.02 + (3 * 1152) / sampleRate : 0.01;
}

/** Fails if the decoded length is shorter than declared by more than max(2 s, 2 %) (docs/reference/encode.md). */
function checkNotTruncated(declaredSeconds: number, actualSeconds: number): void {
  if (declaredSeconds - actualSeconds <= Math.max(2, declaredSeconds * 0.02)) return;
  throw new MediaError(
    'source_truncated',
    `The source is truncated: it declares ${declaredSeconds.toFixed(1)} seconds, and only ${actualSeconds.toFixed(1)} could be read.`,
    { details: { declaredSeconds, actualSeconds } },
  );
}

type DeclaringSource = Pick<AudioSource, 'declaredSeconds' | 'ending'> &
  Partial<Pick<AudioSource, 'losslessBits' | 'sampleRate'>>;

/**
 * Judges whether the source is complete, by what it declares and what was decoded. A source that declares no length and
 * lacks its end may be a live recording that was stopped. It is accepted, and the result is `false`.
 */
export function judgeCompleteness(source: DeclaringSource, actualSeconds: number): SourceFacts['complete'] {
  const { declaredSeconds, ending } = source;
  if (declaredSeconds !== undefined) checkNotTruncated(declaredSeconds, actualSeconds);
  if (ending === 'cut') return false;
  if (ending === 'whole') return true;
  if (declaredSeconds === undefined) return 'unknown';
  return declaredSeconds - actualSeconds <= roundingSeconds(source);
}

/** Source facts for an answer, given the decoded seconds. Throws `source_truncated`. */
export function sourceFacts(source: AudioSource, decodedSeconds: number): SourceFacts {
  const { channels, sampleRate, bitrate } = source;
  const complete = judgeCompleteness(source, decodedSeconds);
  return { duration: roundToMilliseconds(decodedSeconds), channels, sampleRate, bitrate, complete };
}

/** Source facts for an answer if only pictures were encoded. */
function pictureFacts(pictures: PictureSource): Required<Pick<SourceFacts, 'pictures'>> & SourceFacts {
  const seconds = pictureSeconds(pictures);
  const complete = judgeCompleteness(pictures, seconds);
  const shown = { ...pictures.coded, fps: seconds > 0 ? roundToMilliseconds(pictures.frames / seconds) : 0 };
  return { duration: roundToMilliseconds(seconds), bitrate: pictures.bitrate, pictures: shown, complete };
}

/** The worse of two verdicts. */
function leastComplete(one: SourceFacts['complete'], other: SourceFacts['complete']): SourceFacts['complete'] {
  return [one, other].find((complete) => complete !== true) ?? true;
}

/** Judges the pictures and each track that outputs use. The answer describes the first output's track. */
export function judgeStreams(
  source: Pick<Source, 'tracks' | 'pictures'>,
  outputs: readonly { plan: OutputPlan; streams: EncodedStreams }[],
): SourceFacts {
  const facts = new Map<number, SourceFacts>();
  for (const { audio } of outputs.map(({ plan }) => plan)) {
    const track = audio && source.tracks[audio.track];
    if (track === undefined || facts.has(track.track)) continue;
    const encoded = outputs.filter(({ plan }) => plan.audio?.track === track.track);
    const seconds =
      track.countedSamples === undefined
        ? Math.max(...encoded.map(({ streams }) => streams.audio?.seconds ?? 0))
        : track.countedSamples / track.sampleRate;
    if (seconds === 0) throw noSound();
    facts.set(track.track, sourceFacts(track, seconds));
  }
  const [first] = facts.values();
  const ofPictures = source.pictures && pictureFacts(source.pictures);
  if (first === undefined) {
    if (ofPictures === undefined) throw noSound();
    return ofPictures;
  }
  if (ofPictures === undefined) return first;
  const { complete, pictures } = ofPictures;
  return { ...first, complete: leastComplete(first.complete, complete), pictures };
}
