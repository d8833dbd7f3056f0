import { Command, Option } from 'commander';
import { defaultChunkDuration, defaultOverlapDuration, defaultProcessingFormat } from '../contract/defaults.ts';
import { ChapterSeconds, PauseSeconds } from '../contract/http/silence.ts';
import { describedOutputShape } from '../contract/http/output.ts';
import { RunFilter } from '../contract/server/run.ts';
import { namedLoudness } from '../contract/loudness.ts';
import type { ChunkOptions } from './commands/chunk.ts';
import type { EncodeOptions } from './commands/encode.ts';
import type { InspectOptions } from './commands/inspect.ts';
import type { LimiterOptions } from './commands/limiter.ts';
import type { PresetsOptions } from './commands/presets.ts';
import type { ProcessOptions } from './commands/process.ts';
import type { RunOptions } from './run/workflow-command.ts';
import { addInspectCommand } from './inspect-command.ts';
import { addLimiterCommand } from './limiter-command.ts';
import type { RunsOptions } from './commands/runs.ts';
import { findUnusedOption, fromSilenceWord, metadataOptions } from './media/tag-arguments.ts';
import { findEncodeOption, withAnalysisOptions } from './media/analysis-arguments.ts';
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

export interface Commands {
  start(): Promise<void>;
  encode(sources: string[], options: EncodeOptions): Promise<void>;
  chunk(sources: string[], options: ChunkOptions): Promise<void>;
  process(sources: string[], options: ProcessOptions): Promise<void>;
  inspect(source: string, options: InspectOptions): Promise<void>;
  listPresets(options: PresetsOptions): Promise<void>;
  listRuns(options: RunsOptions): Promise<void>;
  cancelRuns(workflowIds: string[]): Promise<void>;
  rerun(workflowId: string): Promise<void>;
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
    .addHelpText('after', '\nThe processes of a deployment are commands too: container, worker, server, codec-server.')
    .hook('preSubcommand', (_, command) => refuseSwallowedOptions(command));

  program
    .command('start')
    .description('start Temporal with its Web UI, a container, a worker, and the server with its page on this machine')
    .action(async () => await commands.start());

  const encode = withRunOptions(program.command('encode'), 'here')
    .usage(
      '<file-folder-or-URL>… [--format mp3_128]… [--preset web-h264-720]… [--container mp4] [--analysis peaks]… [options]',
    )
    .description('encode audio and video files into one or more outputs with a single decode')
    .option('-f, --format <format>', `${describeFormats()}; repeatable (default: ${defaultFormat})`, collectFormats)
    .option('-p, --preset <name>', 'preset from `npx holdfast presets`; repeatable', collectPresets)
    .option(
      '--output <JSON-or-file>',
      'output in the JSON of the API, such as \'{"container": "mkv", "video": {"crf": 18}}\', or a list; other options fill missing fields; repeatable',
      collectTexts,
    )
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
    .option('--trim-start <seconds>', 'start at this time of the source', parseSeconds)
    .option('--trim-end <seconds>', 'end at this time of the source', parseSeconds)
    .option('--trim-silence', 'remove silence at the start and end', false)
    .option('--shorten-silence <seconds>', 'shorten longer pauses to this length', parseSecondsAs(PauseSeconds))
    .option(
      '--silence-threshold <dBFS>',
      'highest peak of silence, for --trim-silence, --shorten-silence and --chapters from-silence (default: -50)',
      parseThreshold,
    )
    .option('--fragmented', 'write fragmented mp4, mov, m4a or m4b, for Media Source Extensions')
    .addOption(new Option('--level <kind>', 'level speakers to equal loudness').choices(['speech']))
    .option('--fade-in <seconds>', 'length of a fade-in', parseSeconds)
    .option('--fade-out <seconds>', 'length of a fade-out', parseSeconds);
  withAnalysisOptions(
    withTagOptions(withCheckOptions(withSubtitleOptions(withWatermarkOptions(withFilmOptions(encode))))),
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

  withChunkOptions(program.command('chunk'), '<name>-chunks')
    .usage('<file-folder-or-URL>… [options]')
    .description('cut audio files into overlapping chunks')
    .action(async (sources: string[], options: ChunkOptions, command: Command) => {
      checkSources(sources, options, command);
      await commands.chunk(sources, options);
    });

  withChunkOptions(program.command('process'), '<name>-processed')
    .usage('<file-folder-or-URL>… [options]')
    .description('encode audio files to mono, cut them into overlapping chunks, and send the chunks to a provider')
    .option(
      '-f, --format <format>',
      `format of the encoded file (default: ${defaultProcessingFormat})`,
      parseFormatName,
    )
    .option(
      '-p, --provider <key>',
      "provider key from the worker's PROVIDERS_FILE, such as openai/whisper-1; repeatable: the next one is used while one is throttled",
      collectProviders,
    )
    .addOption(
      new Option('--chapters <kind>', 'write chapters.json for `encode --chapters`').choices(['from-transcript']),
    )
    .action(async (sources: string[], options: ProcessOptions, command: Command) => {
      checkSources(sources, options, command);
      await commands.process(sources, options);
    });

  addInspectCommand(program, commands.inspect);
  program
    .command('presets')
    .usage('[--json]')
    .description('list the presets with their settings')
    .option('--json', 'print the presets as one JSON document', false)
    .action(async (options: PresetsOptions) => await commands.listPresets(options));

  addRunsCommand(program, commands);
  program
    .command('setup-server')
    .description("register Holdfast's search attributes at a Temporal server that `npm start` does not run")
    .action(async () => await commands.setupServer());
  addLimiterCommand(program, commands.limiter);
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

/** Adds the options of `encode`, `chunk` and `process`. */
function withRunOptions(command: Command, defaultFolder: string): Command {
  return command
    .argument('[file-folder-or-URL...]', sourceHelp)
    .option('-o, --out <folder>', `output folder, or s3://bucket/folder/ (default: ${defaultFolder})`)
    .option('-R, --recursive', 'include subfolders; outputs keep their relative paths', false)
    .addOption(new Option('--overwrite', 'replace existing files').default(false).conflicts('skipExisting'))
    .option('--skip-existing', 'skip outputs that already exist', false)
    .option('--workflow-id <id>', 'workflow id of the run (default: derived from the source name)', parseWorkflowId)
    .addOption(new Option('--detach', 'exit once the runs are started').default(false).conflicts('wait'))
    .option(
      '--wait <id>',
      'wait for an earlier run and write its files, instead of starting a new one; repeatable',
      collectTexts,
    )
    .option('--json', 'print the results as one JSON document', false)
    .option('--owner <name>', 'owner of the runs, for `npx holdfast runs --owner`')
    .option('--priority <number>', 'priority from 1 (first) to 5 (default: 3)', parseWhole)
    .option('--fairness-key <name>', 'group that takes turns with other groups of the same priority')
    .option('--fairness-weight <number>', 'share of the fairness key (default: 1)', parseNumber)
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
  return withRunOptions(command, defaultFolder)
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

function addRunsCommand(program: Command, commands: Commands): void {
  const runs = program
    .command('runs')
    .usage('[options] | cancel <id>… | rerun <id>')
    .description('list runs with their progress and waits, newest first');
  runs
    .command('list', { isDefault: true })
    .usage('[options]')
    .description('list runs, newest first')
    .option('-w, --watch', 'refresh the list until Ctrl-C', false)
    .addOption(
      new Option('-s, --state <state>', 'only runs in this state; active: all runs that have not ended').choices(
        RunFilter.options,
      ),
    )
    .option('--owner <name>', 'only the runs of this owner')
    .option('-n, --limit <number>', 'largest number of runs', parseWhole, 20)
    .option('--json', 'print the list as one JSON document', false)
    .action(async (options: RunsOptions) => await commands.listRuns(options));
  runs
    .command('cancel')
    .usage('<id>…')
    .description('cancel runs; their ffmpeg ends within 10 s')
    .argument('<id...>', 'workflow ids')
    .action(async (ids: string[]) => await commands.cancelRuns(ids));
  runs
    .command('rerun')
    .usage('<id>')
    .description('start a new run with the input of an old run, whose source must still exist')
    .argument('<id>', 'workflow id')
    .action(async (id: string) => await commands.rerun(id));
}
