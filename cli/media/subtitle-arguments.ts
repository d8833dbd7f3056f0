import { extname } from 'node:path';
import { Option, type Command } from 'commander';
import type { ContainerSubtitles } from '../../contract/http/subtitles.ts';
import { CliError } from '../cli-error.ts';
import { collectTexts } from '../option-values.ts';
import { parseSource } from './named-source.ts';
import type { CompanionFile } from './tag-arguments.ts';

export interface SubtitleArguments {
  /** Treatment of the source's own subtitles. */
  subtitles?: 'keep' | 'burn' | 'drop';
  addSubtitles?: string[];
  burnSubtitles?: string;
}

export interface DescribedSubtitles {
  files: CompanionFile[];
  /** Field of an output; `urlOf` gives the URLs of the files. */
  fieldAt(urlOf: (name: string) => string): ContainerSubtitles;
}

export function withSubtitleOptions(command: Command): Command {
  return command
    .optionsGroup('Subtitles:')
    .addOption(
      new Option(
        '--subtitles <what>',
        'subtitles of the source: keep, burn the first track into the picture, or drop',
      ).choices(['keep', 'burn', 'drop']),
    )
    .option(
      '--add-subtitles <file-or-URL>',
      'add a subtitle track from SubRip, WebVTT or ASS, with a language: deu=film.srt; repeatable',
      collectTexts,
    )
    .option('--burn-subtitles <file-or-URL>', 'burn these subtitles into the picture');
}

/** Undefined without subtitle options. */
export function describeSubtitleArguments(
  typed: SubtitleArguments,
  userFolder: string,
): DescribedSubtitles | undefined {
  const { subtitles, addSubtitles = [], burnSubtitles } = typed;
  if (subtitles === undefined && addSubtitles.length === 0 && burnSubtitles === undefined) return undefined;
  if (subtitles === 'burn' && burnSubtitles !== undefined) {
    throw new CliError('--subtitles burn and --burn-subtitles cannot be combined: only one track is burnt in.');
  }
  const files: CompanionFile[] = [];
  const place = (text: string): ((urlOf: (name: string) => string) => string) => {
    const named = parseSource(text, userFolder);
    if (named.kind === 'url') return () => named.url;
    const name = `subtitles-${files.length + 1}${extname(named.path)}`;
    files.push({ path: named.path, name });
    return (urlOf) => urlOf(name);
  };
  const added = addSubtitles.map((text) => {
    const [, language, source = text] = /^([a-z]{3})=(.+)$/.exec(text) ?? [];
    return { language, urlAt: place(source) };
  });
  const burnt = burnSubtitles === undefined ? undefined : place(burnSubtitles);
  const isAlone = added.length === 0 && burnt === undefined;
  return {
    files,
    fieldAt: (urlOf) =>
      subtitles !== undefined && isAlone
        ? subtitles
        : {
            ...(subtitles === 'keep' && { keep: true }),
            ...(subtitles === 'burn' && { burn: 'default' }),
            ...(added.length > 0 && {
              add: added.map(({ language, urlAt }) => ({
                url: urlAt(urlOf),
                ...(language !== undefined && { language }),
              })),
            }),
            ...(burnt !== undefined && { burn: { url: burnt(urlOf) } }),
          },
  };
}
