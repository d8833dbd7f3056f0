import { type OutputSettings, UnsupportedOutput } from '../../contract/output-settings.ts';
import { checkSound } from './source-limits.ts';
import { audioOf, type AudioSource, type Source } from './source.ts';

/** One name for a language, whatever standard named it: `deu`, `ger` and `de` alike. */
function canonicalLanguage(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? language;
  } catch {
    return language;
  }
}

function isOfLanguage(track: AudioSource, wanted: string): boolean {
  return track.language !== undefined && canonicalLanguage(track.language) === canonicalLanguage(wanted);
}

function findTrack(tracks: readonly AudioSource[], wanted: OutputSettings['track'] = 0): AudioSource | undefined {
  if (typeof wanted === 'number') return tracks[wanted];
  if (wanted === 'default') return tracks.find(({ isDefault }) => isDefault) ?? tracks[0];
  return tracks.find((track) => isOfLanguage(track, wanted));
}

/**
 * The audio stream that an output is made of: the first, where it does not say (pure). Throws where there is none (`no_audio`), or
 * not that one.
 */
export function chooseTrack(output: OutputSettings, source: Pick<Source, 'audio' | 'tracks'>): AudioSource {
  const first = audioOf(source, `The output ${output.label}`);
  const chosen = findTrack(source.tracks, output.track);
  if (chosen !== undefined) {
    if (chosen !== first) checkSound(chosen);
    return chosen;
  }
  const known = source.tracks.map(({ track, language }) => (language === undefined ? track : `${track} (${language})`));
  const those = known.length === 1 ? `its only one is ${known[0]}` : `it has ${known.join(', ')}`;
  throw new UnsupportedOutput(output, `the source has no audio track ${output.track}; ${those}`, {
    track: output.track,
  });
}

/** The track that the sound of an output comes from; undefined where it has none (pure). */
export function chooseSound(output: OutputSettings, source: Pick<Source, 'audio' | 'tracks'>): AudioSource | undefined {
  if (output.audio === undefined || (source.audio === undefined && !output.needsAudio)) return undefined;
  return chooseTrack(output, source);
}
