import { Command, Option } from 'commander';
import { defaultChunkDuration, defaultOverlapDuration, defaultProcessingFormat } from '../contract/defaults.ts';
import { defaultLocalKey } from '../contract/local-provider.ts';
import type { ChunkOptions } from './commands/chunk.ts';
import type { EncodeOptions } from './commands/encode.ts';
import type { InspectOptions } from './commands/inspect.ts';
import type { LimiterOptions } from './commands/limiter.ts';
import type { PresetsOptions } from './commands/presets.ts';
import type { ProcessOptions } from './commands/process.ts';
import type { WatchOptions } from './commands/watch.ts';
import type { RunOptions } from './run/workflow-command.ts';
import { addCompletionCommand, processCommands } from './completion-command.ts';
import { addInspectCommand } from './inspect-command.ts';
import { addLimiterCommand } from './limiter-command.ts';
import { addRunsCommands, type RunsCommands } from './runs-commands.ts';
import { addWatchCommand } from './watch-command.ts';
import { findSwallowedOptions } from './swallowed-options.ts';
import { completeOutputs, type ParsedOutputOptions, withOutputOptions } from './output-options.ts';
import { withRunOptions, withSources } from './run-options.ts';
import { withCaptionOptions } from './media/caption-arguments.ts';
import {
  collectProviders,
  noProvider,
  parseFormatName,
  parseSeconds,
  parseSpeakers,
  parseVocabulary,
} from './option-values.ts';

export interface Commands extends RunsCommands {
  start(): Promise<void>;
  encode(sources: string[], options: EncodeOptions): Promise<void>;
  chunk(sources: string[], options: ChunkOptions): Promise<void>;
  process(sources: string[], options: ProcessOptions): Promise<void>;
  inspect(source: string, options: InspectOptions): Promise<void>;
  showPresets(options: PresetsOptions): Promise<void>;
  setupServer(): Promise<void>;
  limiter(key: string, options: LimiterOptions): Promise<void>;
  watch(folder: string, options: WatchOptions): Promise<void>;
}

/** Defines the commands and their options; `commands` runs them. */
export function buildProgram(commands: Commands, version: string): Command {
  const program = new Command('holdfast')
    .description('FFmpeg encoding by durable, retrying Temporal workflows')
    .version(version)
    .showHelpAfterError('(add `--help` to list all options)')
    // Descriptions beside long terms still wrap on a terminal of 80 columns.
    .configureHelp({ minWidthToWrap: 20 })
    .addHelpText(
      'after',
      [
        `\nThe processes of a deployment are commands too:\n${processCommands.join(', ')}.`,
        '`setup-vmaf` installs an ffmpeg that measures picture quality (70 MB).',
      ].join('\n'),
    )
    .configureOutput({ outputError: (text, write) => write(explainUnknownOption(text)) })
    .hook('preSubcommand', (_, command) => refuseSwallowedOptions(command));

  program
    .command('start')
    .description('start Temporal with its Web UI, a container, a worker, and the server with its page on this machine')
    .action(async () => await commands.start());

  const encode = withSources(program.command('encode'), 'the current folder')
    .usage('<file-folder-or-URL>… [--preset web-h264-720]… [options]')
    .description('encode audio and video files into one or more outputs with a single decode');
  withOutputOptions(encode)
    .addOption(
      new Option('--preview', 'encode ten seconds from the middle, and estimate size and time of the whole')
        .conflicts(['wait', 'detach', 'skipExisting', 'spread', 'captions'])
        .helpGroup('Outputs:'),
    )
    .addOption(
      new Option('--estimate', 'print the expected time, size and cost, from past runs of the same kind; start no run')
        .conflicts(['wait', 'detach', 'skipExisting', 'spread', 'preview', 'overwrite', 'workflowId', 'captions'])
        .helpGroup('Outputs:'),
    );
  withRunOptions(encode).action(
    async (sources: string[], options: ParsedOutputOptions<EncodeOptions>, command: Command) => {
      checkSources(sources, options, command);
      await commands.encode(sources, { ...options, ...completeOutputs(options, command) });
    },
  );
  addWatchCommand(program, commands.watch);

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
      `provider key, such as openai/whisper-1; repeatable: the next key is used while one is throttled (default: ${defaultLocalKey}, which runs on this machine; ${noProvider}: only encode and cut)`,
      collectProviders,
    )
    .addOption(
      new Option('--chapters <kind>', 'write chapters.json for `encode --chapters`').choices(['from-transcript']),
    )
    .option('--speakers [count]', 'name the speakers S1, S2, …; give their number if you know it', parseSpeakers)
    .option('--vocabulary <words>', 'names and terms of the recording, separated by commas', parseVocabulary)
    .option('--translate', 'write the transcript in English, by a provider that translates');
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
    .action(async (options: PresetsOptions) => await commands.showPresets(options));

  addRunsCommands(program, commands);
  program
    .command('setup-server')
    .description("register Holdfast's search attributes at a Temporal server that `npx holdfast start` does not run")
    .action(async () => await commands.setupServer());
  addLimiterCommand(program, commands.limiter);
  addCompletionCommand(program);
  return program;
}

/** A file whose name starts with a dash is taken for options. */
function explainUnknownOption(text: string): string {
  const [, name] = /^error: unknown option '(-[^-].+)'/.exec(text) ?? [];
  return name === undefined ? text : `${text}If this is a file, write './${name}'.\n`;
}

function refuseSwallowedOptions(command: Command): void {
  const [first, ...others] = findSwallowedOptions(command, process.env);
  if (first === undefined) return;
  const name = command.name();
  command.error(
    `error: npm took ${[first, ...others].join(', ')}. Write \`npx holdfast ${name} … ${first}\`, or \`npm run ${name} -- … ${first}\` with two dashes.`,
  );
}

function withChunkOptions(command: Command, ownFolder: string): Command {
  return withSources(
    command,
    `${ownFolder}; for several sources, a folder or a pattern, --out holds one such folder a source`,
  )
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
