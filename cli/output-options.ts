import { type Command, Option } from 'commander';
import { describedOutputShape } from '../contract/http/output.ts';
import { ChapterSeconds, PauseSeconds } from '../contract/http/silence.ts';
import { namedLoudness } from '../contract/loudness.ts';
import { findEncodeOption, withAnalysisOptions } from './media/analysis-arguments.ts';
import { withCheckOptions } from './media/check-arguments.ts';
import type { OutputArguments } from './media/describe-outputs.ts';
import { withFilmOptions } from './media/film-arguments.ts';
import { withFilmCaptionOptions } from './media/film-captions.ts';
import { describeFormats } from './media/format-help.ts';
import { withSubtitleOptions } from './media/subtitle-arguments.ts';
import { findUnusedOption, fromSilenceWord, metadataOptions } from './media/tag-arguments.ts';
import { withWatermarkOptions } from './media/watermark-arguments.ts';
import {
  collectFormats,
  collectMetadata,
  collectPresets,
  collectTexts,
  parseContainers,
  parseLoudness,
  parseSeconds,
  parseSecondsAs,
  parseSegmentSeconds,
  parseTextOf,
  parseThreshold,
  parseTrack,
  parseWholeAs,
} from './option-values.ts';

/** Parsed options of outputs; commander leaves out lists that are not given. */
export type ParsedOutputOptions<Options extends OutputArguments> = Omit<Options, 'format' | 'preset'> & {
  format?: string[];
  preset?: string[];
};

const defaultFormat = 'mp3_128';

/** Adds the options that describe the outputs of `encode` and `watch`. */
export function withOutputOptions(command: Command): Command {
  command
    .optionsGroup('Outputs:')
    .option('-f, --format <format>', `${describeFormats()}; repeatable (default: ${defaultFormat})`, collectFormats)
    .option(
      '-p, --preset <name>',
      'preset from `npx holdfast presets`, such as hls-h264 for streaming; repeatable',
      collectPresets,
    )
    .option(
      '--output <JSON-or-file>',
      'output in the JSON of the API, such as \'{"container": "mkv", "video": {"crf": 18}}\', or a list; other options fill missing fields; repeatable',
      collectTexts,
    )
    .option('--fragmented', 'write fragmented mp4, mov, m4a or m4b, for Media Source Extensions')
    .optionsGroup('Sound:')
    .option(
      '-c, --channels <number>',
      'channels of the outputs, 1 to 8 (default: as in the source)',
      parseWholeAs(describedOutputShape.channels),
    )
    .option(
      '-r, --sample-rate <Hz>',
      'sample rate of the outputs in Hz (default: as in the source)',
      parseWholeAs(describedOutputShape.sampleRate),
    )
    .option(
      '-l, --loudness <target>',
      `loudness of the outputs: none, ${Object.keys(namedLoudness).join(', ')}, or LUFS/dBTP such as -16/-1 (default: from the preset, else as in the source)`,
      parseLoudness,
    )
    .option(
      '-t, --track <track>',
      'audio stream of the source: number from 0, language such as en, or default (default: the first)',
      parseTrack,
    )
    .addOption(new Option('--level <kind>', 'level speakers to equal loudness').choices(['speech']))
    .optionsGroup('Cuts, silence and fades:')
    .option('--trim-start <seconds>', 'start at this time of the source', parseSeconds)
    .option('--trim-end <seconds>', 'end at this time of the source', parseSeconds)
    .option('--trim-silence', 'remove silence at the start and end', false)
    .option('--shorten-silence <seconds>', 'shorten longer pauses to this length', parseSecondsAs(PauseSeconds))
    .option(
      '--silence-threshold <dBFS>',
      'highest peak of silence, for --trim-silence, --shorten-silence and --chapters from-silence (default: -50)',
      parseThreshold,
    )
    .option('--fade-in <seconds>', 'length of a fade-in', parseSeconds)
    .option('--fade-out <seconds>', 'length of a fade-out', parseSeconds)
    .optionsGroup('Several containers:')
    .option(
      '--spread [containers]',
      'encode films and long recordings in segments on at most this many containers (default: all available)',
      parseContainers,
    )
    .option(
      '--segment-seconds <seconds>',
      'length of the segments of --spread <containers>, 20 to 600 (default: 60)',
      parseSegmentSeconds,
    );
  return withAnalysisOptions(
    withTagOptions(
      withCheckOptions(withFilmCaptionOptions(withSubtitleOptions(withWatermarkOptions(withFilmOptions(command))))),
    ),
  );
}

/** Ends the command if options contradict each other. Returns the outputs; without any, the default format. */
export function completeOutputs(
  options: ParsedOutputOptions<OutputArguments>,
  command: Command,
): Pick<OutputArguments, 'format' | 'preset'> {
  checkTrim(options, command);
  const { format = [], preset = [], analysis = [], image = [], output = [], container } = options;
  const isNamed = format.length + preset.length + output.length > 0 || container !== undefined;
  const isSilent = !isNamed && analysis.length + image.length === 0;
  const isEncode = isSilent || isNamed;
  const unused = findUnusedOption(options) ?? (isEncode ? undefined : findEncodeOption(options));
  if (unused !== undefined) command.error(`error: ${unused}`);
  return { format: isSilent ? [defaultFormat] : format, preset };
}

function withTagOptions(command: Command): Command {
  command.optionsGroup('Tags, chapters and cover:');
  for (const [name, help] of Object.entries(metadataOptions)) {
    command.option(`--${name} <text>`, `tag: ${help}`, parseTextOf(name));
  }
  return command
    .option('--metadata <name=text>', 'any other tag; repeatable', collectMetadata)
    .option(
      '--chapters <file-or-URL>',
      `JSON such as {"chapters": [{"startTime": 60, "title": "Guests"}]}, ${fromSilenceWord}, or none (default: chapters of the source)`,
    )
    .option(
      '--chapter-min-pause <seconds>',
      `shortest pause that starts a chapter, with ${fromSilenceWord} (default: 2)`,
      parseSecondsAs(PauseSeconds),
    )
    .option(
      '--chapter-min-length <seconds>',
      `shortest chapter, with ${fromSilenceWord} (default: 60)`,
      parseSecondsAs(ChapterSeconds),
    )
    .option('--cover <file-or-URL>', 'cover image, converted to a square JPEG, or none (default: cover of the source)');
}

function checkTrim(
  { trimStart = 0, trimEnd = Infinity }: Pick<OutputArguments, 'trimStart' | 'trimEnd'>,
  command: Command,
): void {
  if (trimEnd <= trimStart) command.error("error: option '--trim-end <seconds>' must come after --trim-start");
}
