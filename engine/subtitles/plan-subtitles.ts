import { definedFields } from '../../contract/defined-fields.ts';
import { type ContainerName, containerFacts, type SubtitleCodec } from '../../contract/formats.ts';
import type { SubtitleFacts } from '../../contract/http/subtitles.ts';
import type { FileSettings } from '../../contract/file-settings.ts';
import { UnsupportedOutput } from '../../contract/unsupported-output.ts';
import type { AddedSubtitles } from '../../contract/subtitle-settings.ts';
import { cleanLine } from '../source/clean-text.ts';
import type { CueWindow, CueWindows, LeftTrack, PlannedSubtitles, SubtitlePlan } from '../plan/subtitle-plan.ts';
import { contentFor, countCues, isEmpty, isMergedTooLong } from './subtitle-content.ts';
import { maxMergedBytes } from './read-texts.ts';
import {
  findBurntTrack,
  requireTracks,
  type SubtitleOfLink,
  type SubtitleSource,
  windowOfLink,
} from './subtitle-source.ts';
import type { SubtitleText, SubtitleTrack } from '../source/subtitle-track.ts';

/**
 * Decides which tracks an output has, and which of the source's are left out. Throws if a named track is unavailable.
 */
export function planSubtitles(
  output: FileSettings,
  source: SubtitleSource,
  linked: SubtitleOfLink,
  windows: CueWindows,
): SubtitlePlan | undefined {
  const { subtitles: asked } = output;
  if (asked === undefined) return undefined;
  const added = asked.add.flatMap(
    (one) => planAdded(output, one, linked(one.link), windowOfLink(one.link, windows)) ?? [],
  );
  const addsDefault = added.some(({ isDefault }) => isDefault);
  const left: LeftTrack[] = [];
  const tracks: PlannedSubtitles[] = [];
  for (const track of keptTracks(output, source)) {
    const planned = planKept(output, track, source, windows.source);
    if ('reason' in planned) left.push(planned);
    else tracks.push(addsDefault ? { ...planned, isDefault: false } : planned);
  }
  return { tracks: [...tracks, ...added], left };
}

/** Burnt-in subtitles are not kept as a track as well, unless the track is named. */
function keptTracks(output: FileSettings, { subtitles: tracks }: SubtitleSource): SubtitleTrack[] {
  const { keep = [] } = output.subtitles ?? {};
  if (keep !== 'all') return [...new Set(keep.flatMap((one) => requireTracks(output, tracks, one)))];
  const burnt = findBurntTrack(output, tracks);
  return tracks.filter((track) => track !== burnt);
}

function textCodec(container: ContainerName, { script }: SubtitleText): SubtitleCodec {
  const { subtitleCodecs = ['subrip'] } = containerFacts(container);
  return script !== undefined && subtitleCodecs.includes('ass') ? 'ass' : subtitleCodecs[0];
}

const mergedTooLong = `more than ${maxMergedBytes / 1024 ** 2} MiB after overlapping texts are merged, which an mkv does not do`;

/** Content of a track that an output can keep, or the reason why it cannot. */
function keptContent(
  container: ContainerName,
  track: SubtitleTrack,
  { texts, subtitlePictures }: SubtitleSource,
  window: CueWindow,
): Pick<PlannedSubtitles, 'codec' | 'content'> | { reason: string } {
  const pictures = subtitlePictures?.get(track);
  if (pictures !== undefined && containerFacts(container).subtitleCodecs?.includes(pictures.codec) === true) {
    return { codec: pictures.codec, content: { kind: 'pictures', pictures, window } };
  }
  if (track.kind === 'picture')
    return { reason: 'they are pictures, and only an mkv keeps those of discs and broadcasts' };
  const text = texts?.get(track);
  if (text === undefined) return { reason: 'Holdfast cannot read them' };
  const codec = textCodec(container, text);
  const content = contentFor(codec, text, window);
  return isMergedTooLong(content) ? { reason: `they have ${mergedTooLong}` } : { codec, content };
}

/**
 * True if the source is a partial file, which lacks the packets of a track that the output can keep. The segments that
 * are made from it have no subtitles.
 */
function isUnread(container: ContainerName, { codec, kind }: SubtitleTrack, { pictures }: SubtitleSource): boolean {
  const codecs: readonly string[] = containerFacts(container).subtitleCodecs ?? [];
  return pictures?.isPartial === true && (kind === 'text' || codecs.includes(codec));
}

function planKept(
  output: FileSettings,
  track: SubtitleTrack,
  source: SubtitleSource,
  window: CueWindow,
): PlannedSubtitles | LeftTrack {
  const { language = '', title = '', isDefault, isForced, isForHardOfHearing, codec: sourceCodec } = track;
  const kept = keptContent(output.container, track, source, window);
  if ('reason' in kept) {
    const { reason } = kept;
    if (output.subtitles?.keep === 'all' || isUnread(output.container, track, source))
      return { track: track.track, codec: sourceCodec, reason };
    throw new UnsupportedOutput(output, `the subtitles ${track.track} of the source cannot be kept: ${reason}`);
  }
  const { codec, content } = kept;
  if (isEmpty(content)) {
    return { track: track.track, codec: sourceCodec, reason: 'none of them is shown in this output' };
  }
  return {
    ...{ codec, content, isDefault, isForced, isForHardOfHearing },
    language: /^[a-z]{3}$/.test(language) && language !== 'und' ? language : undefined,
    title: cleanLine(title).slice(0, 200) || undefined,
  };
}

/** Undefined: the trim of the output shows nothing of the file. */
function planAdded(
  output: FileSettings,
  { language, title = '', isDefault, isForced }: AddedSubtitles,
  text: SubtitleText,
  window: CueWindow,
): PlannedSubtitles | undefined {
  const codec = textCodec(output.container, text);
  const content = contentFor(codec, text, window);
  if (isEmpty(content)) {
    const hasShapesAlone = content.kind === 'cues' && text.cues.length === 0;
    if (output.trim !== undefined && !hasShapesAlone) return undefined;
    const problem = hasShapesAlone
      ? 'they are shapes without text, which an mkv keeps and pictures can have burnt into them'
      : 'their times are all outside of it';
    throw new UnsupportedOutput(output, `nothing of an added subtitle file is shown: ${problem}`);
  }
  if (isMergedTooLong(content))
    throw new UnsupportedOutput(output, `an added subtitle file cannot be kept: it has ${mergedTooLong}`);
  const marks = { isDefault, isForced, isForHardOfHearing: false };
  return { codec, content, language, title: cleanLine(title) || undefined, ...marks };
}

/** Describes the plan for the answer. */
export function describeSubtitlePlan({ tracks, left, burnt }: SubtitlePlan): SubtitleFacts {
  return {
    tracks: tracks.map(({ codec, content, language, title, isDefault, isForced }) => ({
      ...{ codec, isDefault, isForced },
      ...definedFields({ language, title, cues: countCues(content) }),
    })),
    ...(burnt !== undefined && {
      burnt: {
        ...definedFields({ cues: countCues(burnt.content) }),
        ...(burnt.undrawn.length > 0 && { undrawn: burnt.undrawn.join('') }),
      },
    }),
    ...(left.length > 0 && { left: [...left] }),
  };
}
