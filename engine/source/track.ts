import type { FileSettings } from '../../contract/file-settings.ts';
import { UnsupportedOutput } from '../../contract/unsupported-output.ts';
import { canonicalLanguage } from '../../contract/canonical-language.ts';
import type { Track } from '../../contract/http/audio.ts';
import { MediaError } from '../media-error.ts';
import { checkSound } from '../ffmpeg/source-limits.ts';
import { audioOf, type AudioSource, hasSound, type Source } from './source.ts';

interface NamedTrack {
  /** Place among the streams of its kind. */
  track: number;
  language: string | undefined;
  isDefault: boolean;
}

function isOfLanguage({ language }: NamedTrack, wanted: string): boolean {
  return language !== undefined && canonicalLanguage(language) === canonicalLanguage(wanted);
}

/** Tracks of one kind that match; for a language, all of it. */
export function findTracks<Kind extends NamedTrack>(tracks: readonly Kind[], wanted: Track): Kind[] {
  if (typeof wanted === 'number') return tracks.filter(({ track }) => track === wanted);
  if (wanted.toLowerCase() === 'default') {
    const chosen = tracks.findIndex(({ isDefault }) => isDefault);
    return tracks.slice(Math.max(0, chosen), Math.max(0, chosen) + 1);
  }
  return tracks.filter((track) => isOfLanguage(track, wanted));
}

/** Audio stream of an output; the first with sound by default. Throws `no_audio` if the stream does not exist. */
export function chooseTrack(output: FileSettings, source: Pick<Source, 'audio' | 'tracks'>): AudioSource {
  const first = audioOf(source, `The output ${output.label}`);
  const tracks = source.tracks.filter(hasSound);
  const [chosen] = findTracks(tracks, output.track ?? first.track);
  if (chosen !== undefined) {
    if (chosen !== first) checkSound(chosen);
    return chosen;
  }
  const known = tracks.map(({ track, language }) => (language === undefined ? track : `${track} (${language})`));
  const those = known.length === 1 ? `its only one is ${known[0]}` : `it has ${known.join(', ')}`;
  throw new UnsupportedOutput(output, `the source has no audio track ${output.track}; ${those}`, {
    track: output.track,
  });
}

/** Track that an output's sound comes from; undefined if it has none. */
export function chooseSound(output: FileSettings, source: Pick<Source, 'audio' | 'tracks'>): AudioSource | undefined {
  if (output.audio === undefined || (source.audio === undefined && !output.needsAudio)) return undefined;
  return chooseTrack(output, source);
}

/** Tracks that outputs take their sound from. Planning reports an output whose track does not exist. */
export function usedTracks(
  outputs: readonly FileSettings[],
  source: Pick<Source, 'audio' | 'tracks'>,
): Set<AudioSource> {
  const trackOf = (output: FileSettings): AudioSource | undefined => {
    try {
      return chooseSound(output, source);
    } catch (error) {
      if (error instanceof UnsupportedOutput || error instanceof MediaError) return undefined;
      throw error;
    }
  };
  return new Set(outputs.flatMap((output) => trackOf(output) ?? []));
}
