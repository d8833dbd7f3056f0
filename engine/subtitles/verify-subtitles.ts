import { type ContainerName, containers } from '../../contract/formats.ts';
import { textGuards } from '../ffmpeg/guards.ts';
import { writtenLanguage } from '../ffmpeg/written-language.ts';
import type { ProbedStream } from '../ffmpeg/probed.ts';
import type { Cue } from '../formats/webvtt/webvtt.ts';
import { readSubtitlePackets } from './read-subtitle-packets.ts';
import { finishedLimits, readTexts, type TextRun } from './read-texts.ts';
import { placePictures } from './subtitle-pictures.ts';
import type { SubtitlePacket, SubtitleText } from '../source/subtitle-track.ts';
import type { PlannedSubtitles, ShownPictures, SubtitlePlan, TextContent } from '../plan/subtitle-plan.ts';

/**
 * Describes how the tracks of a finished file differ from the plan, as the rest of a sentence; undefined if they match.
 */
export async function findSubtitleProblem(
  path: string,
  { tracks }: Pick<SubtitlePlan, 'tracks'>,
  container: ContainerName,
  streams: readonly ProbedStream[],
  run: TextRun,
): Promise<string | undefined> {
  const { demuxer } = containers[container];
  const places = streams
    .filter((_, place) => tracks[place]?.content.kind !== 'pictures')
    .map(({ index, codec_name }) => ({ index, codec: codec_name, isStyled: codec_name === 'ass' }));
  const texts = await readTexts(path, places, run, [...textGuards([demuxer]), '-f', demuxer], finishedLimits);
  for (const [place, track] of tracks.entries()) {
    const stream = streams[place];
    const problem =
      stream === undefined
        ? 'are missing'
        : (findMarkProblem(track, stream, container) ?? (await findContentProblem(path, track, stream, texts, run)));
    if (problem !== undefined) return `its subtitles ${place} ${problem}`;
  }
  return undefined;
}

async function findContentProblem(
  path: string,
  { content }: PlannedSubtitles,
  { index }: ProbedStream,
  texts: ReadonlyMap<number, SubtitleText>,
  { job }: TextRun,
): Promise<string | undefined> {
  if (content.kind === 'pictures')
    return findPacketProblem(content, await readSubtitlePackets(path, index, job.signal));
  const text = texts.get(index);
  return text === undefined ? 'are missing' : findTextProblem(content, text);
}

/** A packet must equal the source's bit by bit and be shown at the same time. */
function findPacketProblem(shown: ShownPictures, found: readonly SubtitlePacket[]): string | undefined {
  const { packets: planned = [] } = placePictures(shown) ?? {};
  if (found.length !== planned.length) return `have ${found.length} packets where ${planned.length} were planned`;
  for (const [index, { startMs, hash }] of planned.entries()) {
    const packet = found[index];
    if (packet?.hash !== hash) return `show something else at ${startMs} ms`;
    if (Math.abs(packet.startMs - startMs) > toleranceMs.cues) {
      return `are shown at ${packet.startMs} ms where ${startMs} ms was planned`;
    }
  }
  return undefined;
}

/** Checks the language, title and flags of a track. */
function findMarkProblem(track: PlannedSubtitles, stream: ProbedStream, container: ContainerName): string | undefined {
  if (stream.codec_name !== track.codec) return `are ${stream.codec_name} and not ${track.codec}`;
  const language = stream.tags['language'] ?? 'und';
  const planned = writtenLanguage(container, track.language ?? 'und');
  // QuickTime supports few languages.
  const isSaid = language === planned || (container === 'mov' && language === 'und');
  if (!isSaid) return `are tagged as ${language}`;
  const isMov = containers[container].demuxer === 'mov';
  if (track.title !== undefined && stream.tags[isMov ? 'handler_name' : 'title'] !== track.title)
    return 'have another title';
  const { disposition } = stream;
  // QuickTime always enables one track of each kind, and Apple's formats have no forced flag.
  if (!isMov && (disposition.default === 1) !== track.isDefault) return 'are not said to be the default as planned';
  if (container !== 'mov' && (disposition.forced === 1) !== track.isForced)
    return 'are not said to be forced as planned';
  return undefined;
}

/** Both clocks are rounded. ASS has hundredths of a second. */
const toleranceMs = { cues: 1, script: 10 };

/** Formats differ in markup and spaces. */
function lettersOf(text: string): string {
  return text.replaceAll(/<[^<>]*>|\{[^{}]*\}|\\[nNh]/g, '').replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

export function findTextProblem(content: TextContent, found: SubtitleText): string | undefined {
  const planned: readonly Cue[] = content.kind === 'cues' ? content.cues : content.script.events;
  const written: readonly Cue[] = content.kind === 'cues' ? found.cues : (found.script?.events ?? []);
  if (written.length !== planned.length) return `have ${written.length} texts where ${planned.length} were planned`;
  const tolerance = toleranceMs[content.kind];
  for (const [index, cue] of planned.entries()) {
    const other = written[index];
    if (other === undefined || lettersOf(other.text) !== lettersOf(cue.text))
      return `have other text at ${cue.startMs} ms`;
    if (Math.abs(other.startMs - cue.startMs) > tolerance || Math.abs(other.endMs - cue.endMs) > tolerance) {
      return `have a text from ${other.startMs} to ${other.endMs} ms where ${cue.startMs} to ${cue.endMs} was planned`;
    }
  }
  return undefined;
}
