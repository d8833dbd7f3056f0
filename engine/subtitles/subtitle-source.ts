import type { Track } from '../../contract/http/audio.ts';
import type { FileSettings } from '../../contract/file-settings.ts';
import { type OutputNaming, UnsupportedOutput } from '../../contract/unsupported-output.ts';
import type { SubtitleLink } from '../../contract/subtitle-settings.ts';
import type { CueWindow, CueWindows } from '../plan/subtitle-plan.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import { findTracks } from '../source/track.ts';
import type { SubtitlePictures, SubtitleText } from '../source/subtitle-track.ts';
import type { SubtitleTrack } from '../source/subtitle-track.ts';

/** Inputs for the subtitles of outputs. */
export interface SubtitleSource {
  subtitles: readonly SubtitleTrack[];
  /** Contents of the text tracks that outputs use. */
  texts?: ReadonlyMap<SubtitleTrack, SubtitleText>;
  /** Contents of the picture tracks that outputs use. */
  subtitlePictures?: ReadonlyMap<SubtitleTrack, SubtitlePictures>;
  pictures?: Pick<PictureSource, 'isPartial'>;
}

export function windowOfLink({ clock }: SubtitleLink, windows: CueWindows): CueWindow {
  return clock === 'sound' ? windows.sound : windows.file;
}

/** Contents of the files that a request links to. */
export type SubtitleOfLink = (link: SubtitleLink) => SubtitleText;

/** Track of the source that an output burns in; undefined if there is none. */
export function findBurntTrack(
  { subtitles }: Pick<FileSettings, 'subtitles'>,
  tracks: readonly SubtitleTrack[],
): SubtitleTrack | undefined {
  const { burn } = subtitles ?? {};
  return burn !== undefined && 'track' in burn ? findTracks(tracks, burn.track)[0] : undefined;
}

/** Tracks of a source that an output keeps or burns in. */
export function wantedTracks(output: FileSettings, tracks: readonly SubtitleTrack[]): SubtitleTrack[] {
  if (output.subtitles === undefined) return [];
  const { keep } = output.subtitles;
  const kept = keep === 'all' ? tracks : keep.flatMap((track) => findTracks(tracks, track));
  const burnt = findBurntTrack(output, tracks);
  return [...new Set(burnt === undefined ? kept : [...kept, burnt])];
}

function describe({ track, language, kind }: SubtitleTrack): string {
  const facts = [language, kind === 'picture' ? 'pictures' : undefined].filter((fact) => fact !== undefined);
  return facts.length === 0 ? String(track) : `${track} (${facts.join(', ')})`;
}

/** Matching tracks. Throws if there are none. */
export function requireTracks(output: OutputNaming, tracks: readonly SubtitleTrack[], wanted: Track): SubtitleTrack[] {
  const found = findTracks(tracks, wanted);
  if (found.length > 0) return found;
  const asked = wanted === 'default' ? 'subtitles' : `subtitles ${wanted}`;
  const those = tracks.length === 0 ? 'it has none' : `it has ${tracks.map(describe).join(', ')}`;
  throw new UnsupportedOutput(output, `the source has no ${asked}; ${those}`, { subtitles: wanted });
}
