import { Command, InvalidArgumentError, Option } from 'commander';
import { FormatName } from '../contract/http/encode.ts';
import { LimiterEnvironment, ProviderKey } from '../contract/provider.ts';
import { isThrottleReason, isThrottleSeconds } from '../contract/limiter.ts';
import {
  defaultChunkDuration,
  defaultOverlapDuration,
  defaultProcessingFormat,
  longestProviderWaitSeconds,
} from '../contract/defaults.ts';
import type { ChunkOptions } from './commands/chunk.ts';
import type { EncodeOptions } from './commands/encode.ts';
import type { LimiterOptions } from './commands/limiter.ts';
import type { ProcessOptions } from './commands/process.ts';
import { collectLimit, limitNames } from './limiter/limit-option.ts';
import { describeFormats } from './media/format-help.ts';

export interface Commands {
  start(): Promise<void>;
  encode(source: string, options: EncodeOptions): Promise<void>;
  chunk(source: string, options: ChunkOptions): Promise<void>;
  process(source: string, options: ProcessOptions): Promise<void>;
  limiter(key: string, options: LimiterOptions): Promise<void>;
}

const defaultFormat = 'mp3_128';
const sourceHelp = 'a file of this machine, or a URL: https://, http:// or s3://';

/** What can be typed, without what it does. */
export function buildProgram(commands: Commands): Command {
  const program = new Command('npm run')
    .description('FFmpeg encoding by durable, retrying Temporal workflows')
    .showHelpAfterError('(add `-- --help` to see what can be given)');

  program
    .command('start')
    .description('start everything on this machine: Temporal with its Web UI, container, worker')
    .action(commands.start);

  program
    .command('encode')
    .usage('-- <file-or-URL> [--format mp3_128]… [options]')
    .description('encode a recording into one or more formats, out of one decode')
    .argument('<file-or-URL>', sourceHelp)
    .option(
      '-f, --format <format>',
      `${describeFormats()}; may be repeated (default: ${defaultFormat})`,
      collectFormats,
    )
    .option('-c, --channels <number>', 'channels of the outputs (default: as the source)', parseWhole)
    .option('-r, --sample-rate <Hz>', 'sample rate of the outputs (default: as the source)', parseWhole)
    .option('-o, --out <folder>', 'where the files go: a folder, or s3://bucket/folder/ (default: here)')
    .option('--force', 'overwrite files', false)
    .action(async (source: string, options: Omit<EncodeOptions, 'format'> & { format?: string[] }) => {
      await commands.encode(source, { ...options, format: options.format ?? [defaultFormat] });
    });

  const withChunkOptions = (command: Command, defaultFolder: string) =>
    command
      .argument('<file-or-URL>', sourceHelp)
      .option('-d, --chunk-duration <seconds>', `length of a chunk (default: ${defaultChunkDuration})`, parseSeconds)
      .option(
        '-l, --overlap-duration <seconds>',
        `what a chunk shares with the next (default: ${defaultOverlapDuration})`,
        parseSeconds,
      )
      .option('-o, --out <folder>', `where the files go: a folder, or s3://bucket/folder/ (default: ${defaultFolder})`)
      .option('--force', 'write into a folder that is not empty', false);

  withChunkOptions(program.command('chunk'), '<name>-chunks')
    .usage('-- <file-or-URL> [options]')
    .description('cut a recording into overlapping chunks')
    .action(commands.chunk);

  withChunkOptions(program.command('process'), '<name>-processed')
    .usage('-- <file-or-URL> [options]')
    .description(
      'encode a recording to mono for processing, cut that into overlapping chunks, and have a provider process these',
    )
    .option('-f, --format <format>', `of the encoded file (default: ${defaultProcessingFormat})`, parseFormatName)
    .option(
      '-p, --provider <key>',
      "who processes the chunks: a key of the worker's PROVIDERS_FILE, such as openai/whisper-1; may be repeated, the next is used while one is throttled",
      collectProviders,
    )
    .action(commands.process);

  program
    .command('limiter')
    .usage('-- <provider>/<model> [options]')
    .description(
      "show the permits, requests and limits of a provider's limiter; throttle it, resume it, override its limits",
    )
    .argument('<key>', 'such as openai/whisper-1', parseProvider)
    .option('--json', 'print the answer of its query `stats` as it is', false)
    .addOption(
      new Option('--throttle <seconds>', 'grant no permits for so long').argParser(parseThrottle).conflicts('resume'),
    )
    .option('--reason <text>', 'why, for those who wait (with --throttle; default: operator override)', parseReason)
    .option('--resume', 'end its throttle, and close its breaker', false)
    .option(
      '--set <name=value>',
      `override a limit of the worker's settings, until it is set to \`default\`; may be repeated (${limitNames.join(', ')})`,
      collectLimit,
    )
    .option(
      '--environment <name>',
      'whose limiter is meant (default: HOLDFAST_ENVIRONMENT, else default)',
      parseEnvironmentName,
    )
    .action(async (key: string, options: LimiterOptions, command: Command) => {
      if (options.reason !== undefined && options.throttle === undefined) {
        command.error("error: option '--reason <text>' needs '--throttle <seconds>'");
      }
      await commands.limiter(key, options);
    });

  return program;
}

/** `--format mp3_128 --format opus_24` and `--format mp3_128,opus_24` alike. */
function collectFormats(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(',').map((part) => parseFormatName(part.trim()))];
}

function collectProviders(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(',').map((part) => parseProvider(part.trim()))];
}

function parseProvider(text: string): string {
  if (ProviderKey.safeParse(text).success) return text;
  throw new InvalidArgumentError('It must look like openai/whisper-1.');
}

function parseThrottle(text: string): number {
  const seconds = parseSeconds(text);
  if (isThrottleSeconds(seconds)) return seconds;
  throw new InvalidArgumentError(`It must be above 0 and at most ${longestProviderWaitSeconds}.`);
}

function parseReason(text: string): string {
  const reason = text.trim();
  if (isThrottleReason(reason)) return reason;
  throw new InvalidArgumentError('It must be a sentence.');
}

function parseEnvironmentName(text: string): string {
  const parsed = LimiterEnvironment.safeParse(text);
  if (parsed.success) return text;
  throw new InvalidArgumentError(`It ${parsed.error.issues[0]?.message}.`);
}

function parseFormatName(text: string): string {
  if (FormatName.safeParse(text).success) return text;
  throw new InvalidArgumentError('It must look like mp3_128, aac_96, opus_24, flac or wav.');
}

function parseWhole(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw new InvalidArgumentError('It must be a number of seconds.');
}
