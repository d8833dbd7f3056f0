import { type Command, Option } from 'commander';
import type { LimiterOptions } from './commands/limiter.ts';
import { collectLimit, limitNames } from './limiter/limit-option.ts';
import { parseEnvironmentName, parseProvider, parseReason, parseThrottle } from './option-values.ts';

export function addLimiterCommand(
  program: Command,
  act: (key: string, options: LimiterOptions) => Promise<void>,
): void {
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
      await act(key, options);
    });
}
