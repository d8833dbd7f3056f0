import { constants, copyFile, link, rm, writeFile } from 'node:fs/promises';
import { lacksLinks } from '../../contract/file-refusal.ts';
import { containers, type ContainerName, type SubtitleCodec } from '../../contract/formats.ts';
import { subtitlePictureGuards, textGuards } from '../ffmpeg/guards.ts';
import { writtenLanguage } from '../ffmpeg/written-language.ts';
import { formatAss } from '../formats/ass/ass.ts';
import { formatSubRip } from '../formats/subrip/subrip.ts';
import { formatVtt } from '../formats/webvtt/webvtt.ts';
import { webVttCues } from './cue-markup.ts';
import type { SubtitlePlan, TextContent } from '../plan/subtitle-plan.ts';
import { pictureBitstreamFilters, sourceZeroSeconds } from './subtitle-pictures.ts';

/** A subtitle file that ffmpeg reads beside the source, with its input options. */
export interface SubtitleInput {
  path: string;
  options: readonly string[];
}

/** ffmpeg's name of the file format for a track with this codec. */
function formatOf(codec: SubtitleCodec, { kind }: TextContent): 'srt' | 'ass' | 'webvtt' {
  if (kind === 'script') return 'ass';
  return codec === 'webvtt' ? 'webvtt' : 'srt';
}

function textOf(codec: SubtitleCodec, content: TextContent): string {
  if (content.kind === 'script') return formatAss(content.script);
  return codec === 'webvtt' ? formatVtt(webVttCues(content.cues)) : formatSubRip(content.cues);
}

/** Writes the tracks of an output to files next to its own, in order. */
export async function writeSubtitles(
  plan: Pick<SubtitlePlan, 'tracks'> | undefined,
  path: string,
): Promise<SubtitleInput[]> {
  const inputs: SubtitleInput[] = [];
  for (const [index, track] of (plan?.tracks ?? []).entries()) {
    const file = `${path}-subtitles-${index}`;
    const { codec, content } = track;
    if (content.kind === 'pictures') {
      // Each output has the file under its own name, because each has its own clock.
      await link(content.pictures.path, file).catch(async (error: unknown) => {
        if (!lacksLinks(error)) throw error;
        await copyFile(content.pictures.path, file, constants.COPYFILE_EXCL);
      });
      const offset = (-sourceZeroSeconds - content.window.start).toFixed(6);
      inputs.push({ path: file, options: ['-itsoffset', offset, ...subtitlePictureGuards()] });
      continue;
    }
    await writeFile(file, textOf(codec, content));
    const format = formatOf(codec, content);
    inputs.push({ path: file, options: [...textGuards([format]), '-f', format] });
  }
  return inputs;
}

export async function removeSubtitles(inputs: readonly SubtitleInput[]): Promise<void> {
  await Promise.all(inputs.map(({ path }) => rm(path, { force: true })));
}

/** ffmpeg arguments for an output whose tracks are inputs from number `first` on. */
export function subtitleArguments(
  plan: Pick<SubtitlePlan, 'tracks'> | undefined,
  container: ContainerName,
  first: number,
): string[] {
  // QuickTime stores a track's name in its handler.
  const titleName = containers[container].demuxer === 'mov' ? 'handler_name' : 'title';
  return (plan?.tracks ?? []).flatMap((track, index) => {
    const { codec, content, language, title } = track;
    const marks = [
      ...(track.isDefault ? ['default'] : []),
      ...(track.isForced ? ['forced'] : []),
      ...(track.isForHardOfHearing ? ['hearing_impaired'] : []),
    ];
    return [
      ...['-map', `${first + index}:s:0`, `-c:s:${index}`, codec === 'mov_text' ? 'mov_text' : 'copy'],
      ...(content.kind === 'pictures' ? [`-bsf:s:${index}`, pictureBitstreamFilters(content)] : []),
      ...(language === undefined ? [] : [`-metadata:s:s:${index}`, `language=${writtenLanguage(container, language)}`]),
      ...(title === undefined ? [] : [`-metadata:s:s:${index}`, `${titleName}=${title}`]),
      ...[`-disposition:s:${index}`, marks.length === 0 ? '0' : marks.join('+')],
    ];
  });
}
