import type { FileSettings } from '../../contract/file-settings.ts';
import type { Source } from '../source/source.ts';
import { readTextTracks, type TextRun } from './read-texts.ts';
import { findUndrawn } from './find-undrawn.ts';
import type { SubtitleTrack } from '../source/subtitle-track.ts';
import { containerFacts } from '../../contract/formats.ts';
import { copyPictureTracks, pictureCodecOf } from './copy-picture-tracks.ts';
import { findBurntTrack, wantedTracks } from './subtitle-source.ts';

/** True if an output keeps the packets of a track or draws its pictures. */
function needsPictures(output: FileSettings, track: SubtitleTrack, tracks: readonly SubtitleTrack[]): boolean {
  const codec = pictureCodecOf(track);
  if (codec === undefined || !wantedTracks(output, tracks).includes(track)) return false;
  const isKept = containerFacts(output.container).subtitleCodecs?.includes(codec);
  return isKept === true || findBurntTrack(output, tracks) === track;
}

/** Adds the contents of those subtitles that outputs keep or burn in. */
export async function openSubtitles(source: Source, outputs: readonly FileSettings[], run: TextRun): Promise<Source> {
  const wanted = new Set(outputs.flatMap((output) => wantedTracks(output, source.subtitles)));
  if (wanted.size === 0) return source;
  const texts = await readTextTracks(source.path, [...wanted], run);
  for (const track of new Set(outputs.map((output) => findBurntTrack(output, source.subtitles)))) {
    const text = track && texts.get(track);
    if (text !== undefined) text.undrawn = await findUndrawn(text, source.path, run);
  }
  const pictured = [...wanted].filter((track) =>
    outputs.some((output) => needsPictures(output, track, source.subtitles)),
  );
  return { ...source, texts, subtitlePictures: await copyPictureTracks(source.path, pictured, run) };
}
