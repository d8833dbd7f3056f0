import { type Command, Option } from 'commander';
import { defaultLocalKey, isLocalKey } from '../../contract/local-provider.ts';
import type { OutputCaptions, RunTranscript } from '../../contract/workflow/transcript.ts';
import { CliError } from '../cli-error.ts';
import { collectProviders, noProvider, parseLanguage } from '../option-values.ts';
import { type CaptionArguments, captionsOf, withCaptionOptions } from './caption-arguments.ts';

export interface FilmCaptionArguments extends CaptionArguments {
  captions?: 'track' | 'burn';
  captionLanguage?: string;
  /** Keys of providers in order of preference. */
  provider?: string[];
}

/** Captions of films, and how their transcript is made. */
export interface FilmCaptions {
  field: OutputCaptions;
  transcript: Omit<RunTranscript, 'uploadUrlPrefix'>;
}

/** Adds the captions of films to `encode` and `watch`. */
export function withFilmCaptionOptions(command: Command): Command {
  return withCaptionOptions(command)
    .addOption(
      new Option('--captions [how]', 'transcribe films, and show the text as a track, or burn it in')
        .choices(['track', 'burn'])
        .preset('track'),
    )
    .option('--caption-language <code>', 'language of the track, such as eng', parseLanguage)
    .option(
      '--provider <key>',
      `provider that transcribes; repeatable (default: ${defaultLocalKey}, which runs on this machine)`,
      collectProviders,
    );
}

/** Undefined without `--captions`. */
export function describeFilmCaptions(typed: FilmCaptionArguments): FilmCaptions | undefined {
  const { captions: how, captionLanguage: language, provider } = typed;
  const captions = captionsOf(typed);
  if (how === undefined) {
    const unused = [
      ...Object.entries({ '--caption-language': language, '--provider': provider }),
      ...Object.entries({ 'The layout of captions': captions }),
    ].find(([, value]) => value !== undefined);
    if (unused !== undefined) throw new CliError(`${unused[0]} needs --captions.`);
    return undefined;
  }
  if (how === 'burn' && language !== undefined) {
    throw new CliError('--caption-language is the language of a track. Burnt captions have none.');
  }
  if (provider?.includes(noProvider) === true)
    throw new CliError(`--captions needs a provider other than ${noProvider}.`);
  return {
    field: how === 'burn' ? 'burn' : language === undefined ? true : { language },
    transcript: { ...(provider !== undefined && { provider }), ...(captions !== undefined && { captions }) },
  };
}

/** Whether this machine transcribes. */
export function needsTranscriber({ transcript: { provider = defaultLocalKey } }: FilmCaptions): boolean {
  return [provider].flat().some(isLocalKey);
}
