import type { Track } from '../../contract/http/audio.ts';
import type { FileSettings } from '../../contract/file-settings.ts';
import { type OutputNaming, UnsupportedOutput } from '../../contract/unsupported-output.ts';
import { type ColourTags, isHighDynamicRange } from '../ffmpeg/colour-tags.ts';
import { overlayFormatOf } from '../ffmpeg/overlay-format.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import { hasLetters } from './cue-markup.ts';
import type { BurntSubtitles, CueWindows, SubtitleContent, TextContent } from '../plan/subtitle-plan.ts';
import { contentFor, isEmpty } from './subtitle-content.ts';
import type { SubtitlePictures, SubtitleText } from '../source/subtitle-track.ts';
import { requireTracks, type SubtitleOfLink, type SubtitleSource, windowOfLink } from './subtitle-source.ts';

/** Characters without letters or digits carry no text. */
const saysSomething = /[\p{L}\p{N}]/u;

/** Plans the burnt-in subtitles. Throws if they cannot be drawn, or if no font has a character that carries text. */
export function planBurntSubtitles(
  output: FileSettings,
  source: SubtitleSource,
  linked: SubtitleOfLink,
  windows: CueWindows,
  { colour, pixelFormat }: Pick<VideoPlan, 'colour' | 'pixelFormat'>,
): BurntSubtitles | undefined {
  const { burn } = output.subtitles ?? {};
  if (burn === undefined) return undefined;
  const pictures = 'link' in burn ? undefined : picturesOfTrack(output, source, burn.track);
  if (pictures !== undefined) {
    checkDrawable(output, [], colour);
    checkOverlay(output, pictures, pixelFormat);
    return { content: { kind: 'pictures', pictures, window: windows.source }, undrawn: [] };
  }
  const text = 'link' in burn ? linked(burn.link) : textOfTrack(output, source, burn.track);
  checkDrawable(output, text.undrawn ?? [], colour);
  const window = 'link' in burn ? windowOfLink(burn.link, windows) : windows.source;
  const content = withoutCharacters(contentFor('ass', text, window), text.undrawn ?? []);
  return { content, undrawn: text.undrawn ?? [] };
}

/** Undefined if the track does not consist of pictures. */
function picturesOfTrack(output: FileSettings, source: SubtitleSource, wanted: Track): SubtitlePictures | undefined {
  const [track] = requireTracks(output, source.subtitles, wanted);
  return track && source.subtitlePictures?.get(track);
}

function checkOverlay(naming: OutputNaming, { codec, canvas, packets }: SubtitlePictures, pixelFormat: string): void {
  // Each display set of a Blu-ray states its canvas.
  if (codec === 'hdmv_pgs_subtitle' && canvas === undefined && packets.length > 0) {
    throw new UnsupportedOutput(naming, 'the subtitles of the source cannot be burnt: they are damaged');
  }
  if (overlayFormatOf(pixelFormat) !== undefined) return;
  throw new UnsupportedOutput(
    naming,
    `subtitles that are pictures cannot be drawn over pictures of ${pixelFormat}; use another pixelFormat, such as yuv420p`,
  );
}

function textOfTrack(output: FileSettings, source: SubtitleSource, wanted: Track): SubtitleText {
  const [track] = requireTracks(output, source.subtitles, wanted);
  if (track === undefined) throw new TypeError('no tracks are required');
  const text = source.texts?.get(track);
  if (text !== undefined) return text;
  const problem =
    track.kind === 'picture' ? 'they are pictures of a kind that Holdfast cannot draw' : 'Holdfast cannot read them';
  throw new UnsupportedOutput(output, `the subtitles ${track.track} of the source cannot be burnt: ${problem}`);
}

function checkDrawable(naming: OutputNaming, undrawn: readonly string[], colour: ColourTags): void {
  if (isHighDynamicRange({ colour })) {
    throw new UnsupportedOutput(
      naming,
      'subtitles cannot be drawn over pictures of high dynamic range, because white text would have peak brightness; use "hdr": "sdr", or keep them as a track',
    );
  }
  const missed = undrawn.filter((character) => saysSomething.test(character));
  if (missed.length === 0) return;
  const more = missed.length > 10 ? ` and ${missed.length - 10} more` : '';
  throw new UnsupportedOutput(
    naming,
    `its subtitles have letters that Holdfast's fonts lack: ${missed.slice(0, 10).join(' ')}${more}; keep them as a track, which players draw`,
  );
}

function withoutCharacters(content: TextContent, characters: readonly string[]): TextContent {
  if (characters.length === 0) return content;
  const undrawn = new Set(characters);
  const without = <Text extends { text: string }>(cue: Text): Text => ({
    ...cue,
    text: Array.from(cue.text, (character) => (undrawn.has(character) ? '' : character)).join(''),
  });
  if (content.kind === 'cues') {
    return { kind: 'cues', cues: content.cues.map(without).filter(({ text }) => hasLetters(text)) };
  }
  const { script } = content;
  return { kind: 'script', script: { ...script, events: script.events.map(without) } };
}

/** Undefined if there is nothing to draw. */
export function drawnContent(burnt: BurntSubtitles | undefined): SubtitleContent | undefined {
  return burnt !== undefined && !isEmpty(burnt.content) ? burnt.content : undefined;
}
