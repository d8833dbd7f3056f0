import { canonicalLanguage } from './canonical-language.ts';
import type { Track } from './http/audio.ts';
import type { DescribedOutput } from './http/output.ts';

/** Fields of an output that decide which sound its captions are of. */
export interface CaptionedSound extends Pick<DescribedOutput, 'audio' | 'track'> {
  captions?: unknown;
}

/**
 * Tracks of the source that outputs with captions have; a package counts by its first. Undefined: the first track with
 * sound. Outputs without sound have none. Only containers know the tracks of presets of PRESETS_FILE.
 */
export function captionedTracks(outputs: readonly CaptionedSound[]): (Track | undefined)[] {
  const tracks = outputs.flatMap(({ captions, audio, track }) => {
    if (captions === undefined || audio === false) return [];
    return [(Array.isArray(audio) ? audio[0]?.track : undefined) ?? track];
  });
  const names = tracks.map(canonicalTrack);
  return tracks.filter((_, index) => names.indexOf(names[index]) === index);
}

/** Equal for two names of one language, such as `deu` and `de`. */
export function canonicalTrack(track: Track | undefined): Track | undefined {
  return typeof track === 'string' ? canonicalLanguage(track) : track;
}
