import { Command, Option } from 'commander';
import { defaultChunkDuration, defaultOverlapDuration, defaultProcessingFormat } from '../contract/defaults.ts';
import { ChapterSeconds, PauseSeconds } from '../contract/http/silence.ts';
import { describedOutputShape } from '../contract/http/output.ts';
import { defaultLocalKey } from '../contract/local-provider.ts';
import { namedLoudness } from '../contract/loudness.ts';
import type { ChunkOptions } from './commands/chunk.ts';
import type { EncodeOptions } from './commands/encode.ts';
import type { InspectOptions } from './commands/inspect.ts';
import type { LimiterOptions } from './commands/limiter.ts';
import type { PresetsOptions } from './commands/presets.ts';
import type { ProcessOptions } from './commands/process.ts';
import type { RunOptions } from './run/workflow-command.ts';
import { addCompletionCommand, processCommands } from './completion-command.ts';
import { addInspectCommand } from './inspect-command.ts';
import { addLimiterCommand } from './limiter-command.ts';
import { addRunsCommands, type RunsCommands } from './runs-commands.ts';
import { findUnusedOption, fromSilenceWord, metadataOptions } from './media/tag-arguments.ts';
import { findEncodeOption, withAnalysisOptions } from './media/analysis-arguments.ts';
import { withCaptionOptions } from './media/caption-arguments.ts';
import { withCheckOptions } from './media/check-arguments.ts';
import { findSwallowedOptions } from './swallowed-options.ts';
import { withFilmOptions } from './media/film-arguments.ts';
import { withSubtitleOptions } from './media/subtitle-arguments.ts';
import { withWatermarkOptions } from './media/watermark-arguments.ts';
import { describeFormats } from './media/format-help.ts';
import {
  collectFormats,
  collectMetadata,
  collectPresets,
  collectProviders,
  collectTexts,
  noProvider,
  parseFormatName,
  parseLoudness,
  parseNumber,
  parseSeconds,
  parseSecondsAs,
  parseThreshold,
  parseTrack,
  parseTextOf,
  parseWhole,
  parseWholeAs,
  parseWorkflowId,
} from './option-values.ts';

export interface Commands extends RunsCommands {
  start(): Promise<void>;
  encode(sources: string[], options: EncodeOptions): Promise<void>;
  chunk(sources: string[], options: ChunkOptions): Promise<void>;
  process(sources: string[], options: ProcessOptions): Promise<void>;
  inspect(source: string, options: InspectOptions): Promise<void>;
  listPresets(options: PresetsOptions): Promise<void>;
  setupServer(): Promise<void>;
  limiter(key: string, options: LimiterOptions): Promise<void>;
}

type EncodeArguments = Omit<EncodeOptions, 'format' | 'preset'> & { format?: string[]; preset?: string[] };

const defaultFormat = 'mp3_128';
const sourceHelp =
  'local files and folders, quoted patterns such as "talks/**/*.wav", and URLs (https://, http://, s3://)';

/** Defines the commands and their options; `commands` runs them. */
export function buildProgram(commands: Commands, version: string): Command {
  const program = new Command('holdfast')
    .description('FFmpeg encoding by durable, retrying Temporal workflows')
    .version(version)
    .showHelpAfterError('(add `--help` to list all options)')
    .addHelpText('after', `\nThe processes of a deployment are commands too: ${processCommands.join(', ')}.`)
    .hook('preSubcommand', (_, command) => refuseSwallowedOptions(command));

  program
    .command('start')
    .description('start Temporal with its Web UI, a container, a worker, and the server with its page on this machine')
    .action(async () => await commands.start());

  const encode = withSources(program.command('encode'), 'here')
    .usage(
      '<file-folder-or-URL>… [--format mp3_128]… [--preset web-h264-720]… [--container mp4] [--analysis peaks]… [options]',
    )
    .description('encode audio and video files into one or more outputs with a single decode')
    .optionsGroup('Outputs:')
    .option('-f, --format <format>', `${describeFormats()}; repeatable (default: ${defaultFormat})`, collectFormats)
    .option('-p, --preset <name>', 'preset from `npx holdfast presets`; repeatable', collectPresets)
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
    .option('--fade-out <seconds>', 'length of a fade-out', parseSeconds);
  withRunOptions(
    withAnalysisOptions(
      withTagOptions(withCheckOptions(withSubtitleOptions(withWatermarkOptions(withFilmOptions(encode))))),
    ),
  ).action(async (sources: string[], options: EncodeArguments, command: Command) => {
    checkSources(sources, options, command);
    checkTrim(options, command);
    const { format = [], preset = [], ...others } = options;
    const { analysis = [], image = [], output = [], container } = options;
    const isNamed = format.length + preset.length + output.length > 0 || container !== undefined;
    const isSilent = !isNamed && analysis.length + image.length === 0;
    const isEncode = isSilent || isNamed;
    const unused = findUnusedOption(options) ?? (isEncode ? undefined : findEncodeOption(options));
    if (unused !== undefined) command.error(`error: ${unused}`);
    await commands.encode(sources, { ...others, format: isSilent ? [defaultFormat] : format, preset });
  });

  withRunOptions(withChunkOptions(program.command('chunk'), '<name>-chunks'))
    .usage('<file-folder-or-URL>… [options]')
    .description('cut audio files into overlapping chunks')
    .action(async (sources: string[], options: ChunkOptions, command: Command) => {
      checkSources(sources, options, command);
      await commands.chunk(sources, options);
    });

  const process = withChunkOptions(program.command('process'), '<name>-processed')
    .usage('<file-folder-or-URL>… [options]')
    .description('transcribe audio files: encode to mono, cut into overlapping chunks, send the chunks to a provider')
    .optionsGroup('Provider:')
    .option(
      '-f, --format <format>',
      `format of the encoded file (default: ${defaultProcessingFormat})`,
      parseFormatName,
    )
    .option(
      '-p, --provider <key>',
      `provider key, such as openai/whisper-1; repeatable: the next one is used while one is throttled (default: ${defaultLocalKey}, which runs on this machine; ${noProvider}: only encode and cut)`,
      collectProviders,
    )
    .addOption(
      new Option('--chapters <kind>', 'write chapters.json for `encode --chapters`').choices(['from-transcript']),
    );
  withRunOptions(withCaptionOptions(process)).action(
    async (sources: string[], options: ProcessOptions, command: Command) => {
      checkSources(sources, options, command);
      await commands.process(sources, options);
    },
  );

  addInspectCommand(program, commands.inspect);
  program
    .command('presets')
    .usage('[--json]')
    .description('list the presets with their settings')
    .option('--json', 'print the presets as one JSON document', false)
    .action(async (options: PresetsOptions) => await commands.listPresets(options));

  addRunsCommands(program, commands);
  program
    .command('setup-server')
    .description("register Holdfast's search attributes at a Temporal server that `npm start` does not run")
    .action(async () => await commands.setupServer());
  addLimiterCommand(program, commands.limiter);
  addCompletionCommand(program);
  return program;
}

function refuseSwallowedOptions(command: Command): void {
  const [first, ...others] = findSwallowedOptions(command, process.env);
  if (first === undefined) return;
  const name = command.name();
  command.error(
    `error: npm took ${[first, ...others].join(', ')}. Write \`npx holdfast ${name} … ${first}\`, or \`npm run ${name} -- … ${first}\` with two dashes.`,
  );
}

/** Adds the sources of `encode`, `chunk` and `process`, and the place of their files. */
function withSources(command: Command, defaultFolder: string): Command {
  return command
    .argument('[file-folder-or-URL...]', sourceHelp)
    .optionsGroup('Files:')
    .option('-o, --out <folder>', `output folder, or s3://bucket/folder/ (default: ${defaultFolder})`)
    .option('-R, --recursive', 'include subfolders; outputs keep their relative paths', false)
    .addOption(new Option('--overwrite', 'replace existing files').default(false).conflicts('skipExisting'))
    .option('--skip-existing', 'skip outputs that already exist', false)
    .option('--json', 'print the results as one JSON document', false);
}

/** Adds the options of the runs of `encode`, `chunk` and `process`. They stand last in the help. */
function withRunOptions(command: Command): Command {
  return command
    .optionsGroup('Run:')
    .option('--workflow-id <id>', 'workflow id of the run (default: derived from the source name)', parseWorkflowId)
    .addOption(new Option('--detach', 'exit once the runs are started').default(false).conflicts('wait'))
    .option(
      '--wait <id>',
      'wait for an earlier run and write its files, instead of starting a new one; repeatable',
      collectTexts,
    )
    .option('--owner <name>', 'owner of the runs, for `npx holdfast runs --owner`')
    .option('--priority <number>', 'priority from 1 (first) to 5 (default: 3)', parseWhole)
    .option('--fairness-key <name>', 'group that takes turns with other groups of the same priority')
    .option('--fairness-weight <number>', 'share of the fairness key (default: 1)', parseNumber)
    .optionsGroup('Retries:')
    .option('--retry-max-time <seconds>', 'total time for retries (default: 3600)', parseSeconds)
    .option('--retry-base-delay <seconds>', 'first wait after a connection error (default: 10)', parseSeconds)
    .option(
      '--retry-max-delay <seconds>',
      'longest wait after a connection error; each wait is twice the one before (default: 300)',
      parseSeconds,
    )
    .option('--retry-buffer <seconds>', 'retry time reserved for the last attempt (default: 30)', parseSeconds);
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
      `podcast chapters (JSON), ${fromSilenceWord}, or none (default: chapters of the source)`,
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

function withChunkOptions(command: Command, defaultFolder: string): Command {
  return withSources(command, defaultFolder)
    .optionsGroup('Chunks:')
    .option('-d, --chunk-duration <seconds>', `length of each chunk (default: ${defaultChunkDuration})`, parseSeconds)
    .option(
      '-l, --overlap-duration <seconds>',
      `overlap of neighbouring chunks (default: ${defaultOverlapDuration})`,
      parseSeconds,
    );
}

function checkSources(sources: readonly string[], { wait }: Pick<RunOptions, 'wait'>, command: Command): void {
  if (wait === undefined && sources.length === 0)
    command.error("error: missing required argument 'file-folder-or-URL'");
  if (wait !== undefined && sources.length > 0) {
    command.error(`error: option '--wait <id>' takes no source, because its run already has one: ${sources.join(' ')}`);
  }
}

function checkTrim({ trimStart = 0, trimEnd = Infinity }: EncodeArguments, command: Command): void {
  if (trimEnd <= trimStart) command.error("error: option '--trim-end <seconds>' must come after --trim-start");
}
