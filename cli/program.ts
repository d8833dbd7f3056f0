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

/** As they are typed. */
type EncodeArguments = Omit<EncodeOptions, 'format' | 'preset'> & { format?: string[]; preset?: string[] };

const defaultFormat = 'mp3_128';
const sourceHelp =
  'files and folders of this machine, patterns such as "talks/**/*.wav" (quoted, so that the shell leaves them alone), and URLs: https://, http:// or s3://';

/** What can be typed, without what it does. */
export function buildProgram(commands: Commands, version: string): Command {
  const program = new Command('npm run')
    .description('FFmpeg encoding by durable, retrying Temporal workflows')
    .version(version)
    .showHelpAfterError('(add `-- --help` to see what can be given)');

  program
    .command('start')
    .description('start everything on this machine: Temporal with its Web UI, container, worker')
    .action(commands.start);

  const encode = withRunOptions(program.command('encode'), 'here')
    .usage(
      '-- <file-folder-or-URL>… [--format mp3_128]… [--preset web-h264-720]… [--container mp4] [--analysis peaks]… [options]',
    )
    .description('encode recordings and films into one or more outputs, each out of one decode')
    .option(
      '-f, --format <format>',
      `${describeFormats()}; may be repeated (default: ${defaultFormat})`,
      collectFormats,
    )
    .option('-p, --preset <name>', 'an output as `npm run presets` lists it; may be repeated', collectPresets)
    .option(
      '--output <JSON-or-file>',
      'any output as a request has it, such as \'{"container": "mkv", "video": {"crf": 18}}\', or a list; may be repeated; options fill in what it leaves open',
      collectTexts,
    )
    .option(
      '-c, --channels <number>',
      'channels of the outputs (default: as the source)',
      parseWholeAs(describedOutputShape.channels),
    )
    .option(
      '-r, --sample-rate <Hz>',
      'sample rate of the outputs (default: as the source)',
      parseWholeAs(describedOutputShape.sampleRate),
    )
    .option(
      '-l, --loudness <target>',
      `of the outputs: none, ${Object.keys(namedLoudness).join(', ')}, or LUFS and dBTP such as -16/-1 (default: as the preset has it, else as the source)`,
      parseLoudness,
    )
    .option(
      '-t, --track <track>',
      'audio stream of the source: a number from 0, a language such as en, or default (default: the first)',
      parseTrack,
    )
    .option('--trim-start <seconds>', 'leave out what comes before, in the source', parseSeconds)
    .option('--trim-end <seconds>', 'leave out what comes after, in the source', parseSeconds)
    .option('--trim-silence', 'leave out the silence before the first sound and after the last', false)
    .option('--shorten-silence <seconds>', 'leave so much of a longer pause', parseSecondsAs(PauseSeconds))
    .option(
      '--silence-threshold <dBFS>',
      'what has no higher peak is silence, for --trim-silence, --shorten-silence and --chapters from-silence (default: -50)',
      parseThreshold,
    )
    .option('--fragmented', 'in fragments, as Media Source Extensions play them: of mp4, mov, m4a and m4b')
    .addOption(new Option('--level <kind>', 'make speakers equally loud').choices(['speech']))
    .option('--fade-in <seconds>', 'let the outputs rise from silence for so long', parseSeconds)
    .option('--fade-out <seconds>', 'let the outputs fall to silence for so long', parseSeconds);
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
    .usage('-- <file-folder-or-URL>… [options]')
    .description('cut recordings into overlapping chunks')
    .action(async (sources: string[], options: ChunkOptions, command: Command) => {
      checkSources(sources, options, command);
      await commands.chunk(sources, options);
    });

  withChunkOptions(program.command('process'), '<name>-processed')
    .usage('-- <file-folder-or-URL>… [options]')
    .description(
      'encode recordings to mono for processing, cut these into overlapping chunks, and have a provider process them',
    )
    .option('-f, --format <format>', `of the encoded file (default: ${defaultProcessingFormat})`, parseFormatName)
    .option(
      '-p, --provider <key>',
      "who processes the chunks: a key of the worker's PROVIDERS_FILE, such as openai/whisper-1; may be repeated, the next is used while one is throttled",
      collectProviders,
    )
    .addOption(
      new Option('--chapters <kind>', 'write chapters.json, which `encode --chapters` takes').choices([
        'from-transcript',
      ]),
    )
    .action(async (sources: string[], options: ProcessOptions, command: Command) => {
      checkSources(sources, options, command);
      await commands.process(sources, options);
    });

  addInspectCommand(program, commands.inspect);
  program
    .command('presets')
    .usage('-- [--json]')
    .description('list the presets with what each sets')
    .option('--json', 'print them as one JSON document', false)
    .action(commands.listPresets);

  addRunsCommand(program, commands);
  program
    .command('setup-server')
    .description('register the search attributes of runs at a Temporal server that `npm start` has not made')
    .action(commands.setupServer);
  addLimiterCommand(program, commands.limiter);
  return program;
}

/** What `encode`, `chunk` and `process` take alike. */
function withRunOptions(command: Command, defaultFolder: string): Command {
  return command
    .argument('[file-folder-or-URL...]', sourceHelp)
    .option('-o, --out <folder>', `where the files go: a folder, or s3://bucket/folder/ (default: ${defaultFolder})`)
    .option('-R, --recursive', 'look into the folders of a folder too; outputs keep their places in that tree', false)
    .addOption(new Option('--overwrite', 'replace files that exist').default(false).conflicts('skipExisting'))
    .option('--skip-existing', 'leave out what exists already', false)
    .option('--workflow-id <id>', 'of the run (default: one made of the name of the source)', parseWorkflowId)
    .addOption(new Option('--detach', 'end as soon as the runs have been started').default(false).conflicts('wait'))
    .option(
      '--wait <id>',
      'instead of a new run, wait for one that was started before and write its files; may be repeated',
      collectTexts,
    )
    .option('--json', 'print the results as one JSON document', false)
    .option('--owner <name>', 'whom the runs are for, as `npm run runs -- --owner` looks for it')
    .option('--priority <number>', '1 to 5: 1 is done first (default: 3)', parseWhole)
    .option('--fairness-key <name>', 'runs of one priority take turns by it')
    .option('--fairness-weight <number>', 'its share beside the others, which have 1', parseNumber)
    .option('--retry-max-time <seconds>', 'how long a run is tried again for (default: 3600)', parseSeconds)
    .option('--retry-base-delay <seconds>', 'first wait after a connection error (default: 10)', parseSeconds)
    .option('--retry-max-delay <seconds>', 'longest of these waits, which double (default: 300)', parseSeconds)
    .option('--retry-buffer <seconds>', 'kept free at the end for the last attempt (default: 30)', parseSeconds);
}

function withTagOptions(command: Command): Command {
  for (const [name, help] of Object.entries(metadataOptions)) {
    command.option(`--${name} <text>`, `tag: ${help}`, parseTextOf(name));
  }
  return command
    .option('--metadata <name=text>', 'any other tag; may be repeated', collectMetadata)
    .option(
      '--chapters <file-or-URL>',
      `podcast chapters (JSON), ${fromSilenceWord}, or none (default: those of the source)`,
    )
    .option(
      '--chapter-min-pause <seconds>',
      `of ${fromSilenceWord}: a shorter pause begins none (default: 2)`,
      parseSecondsAs(PauseSeconds),
    )
    .option(
      '--chapter-min-length <seconds>',
      `of ${fromSilenceWord}: none is shorter (default: 60)`,
      parseSecondsAs(ChapterSeconds),
    )
    .option('--cover <file-or-URL>', 'a picture, made a square JPEG, or none (default: that of the source)');
}

function withChunkOptions(command: Command, defaultFolder: string): Command {
  return withRunOptions(command, defaultFolder)
    .option('-d, --chunk-duration <seconds>', `length of a chunk (default: ${defaultChunkDuration})`, parseSeconds)
    .option(
      '-l, --overlap-duration <seconds>',
      `what a chunk shares with the next (default: ${defaultOverlapDuration})`,
      parseSeconds,
    );
}

function checkSources(sources: readonly string[], { wait }: Pick<RunOptions, 'wait'>, command: Command): void {
  if (wait === undefined && sources.length === 0)
    command.error("error: missing required argument 'file-folder-or-URL'");
  if (wait !== undefined && sources.length > 0) {
    command.error(`error: option '--wait <id>' takes no source, as its run has one already: ${sources.join(' ')}`);
  }
}

function checkTrim({ trimStart = 0, trimEnd = Infinity }: EncodeArguments, command: Command): void {
  if (trimEnd <= trimStart) command.error("error: option '--trim-end <seconds>' must come after --trim-start");
}

function addRunsCommand(program: Command, commands: Commands): void {
  const runs = program
    .command('runs')
    .usage('-- [options] | cancel <id>… | rerun <id>')
    .description('list the runs, newest first, with how far they are and what they wait for');
  runs
    .command('list', { isDefault: true })
    .usage('[options]')
    .description('list the runs, newest first')
    .option('-w, --watch', 'stay, and show how they go on, until Ctrl-C', false)
    .addOption(
      new Option('-s, --state <state>', 'only runs in this state; active are all that have not ended').choices(
        RunFilter.options,
      ),
    )
    .option('--owner <name>', 'only the runs of this owner')
    .option('-n, --limit <number>', 'how many at most', parseWhole, 20)
    .option('--json', 'print the list as one JSON document', false)
    .action(commands.listRuns);
  runs
    .command('cancel')
    .usage('<id>…')
    .description('cancel runs; their ffmpeg has ended within 10 s')
    .argument('<id...>', 'workflow ids')
    .action(async (ids: string[]) => await commands.cancelRuns(ids));
  runs
    .command('rerun')
    .usage('<id>')
    .description('start a new run with the input of an old one, whose source must still be there')
    .argument('<id>', 'workflow id')
    .action(async (id: string) => await commands.rerun(id));
}
